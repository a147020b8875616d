/** The sqlite adapter inside a real Durable Object. Between closing and opening, the object is evicted. */
import { describe, it } from 'vitest'
import { registerConformance } from '../../../src/testing/conformance.ts'
import { newObject } from './durable_object.workerd.ts'

registerConformance({ name: 'sqlite', persistent: true, create: newObject }, { describe, it })
