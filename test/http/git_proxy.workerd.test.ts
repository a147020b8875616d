/** The git proxy in workerd. */
import { gitProxySuite } from './git_proxy_suite.ts'

gitProxySuite()
