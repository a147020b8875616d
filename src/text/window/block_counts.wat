;; Counting bytes of a block. Block lengths are multiples of 64, padded with spaces by the caller.
;; After a change: wat2wasm block_counts.wat, and its base64 into block_counts.ts.
(module
  (memory (export "memory") 4)

  ;; Line feeds in the block; bit 31 of the result is set when a byte above 0x7f was met.
  (func (export "lines") (param $at i32) (param $length i32) (result i32)
    (local $end i32) (local $stop i32) (local $count i32)
    (local $lf v128) (local $high v128) (local $lanes v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $lf (i8x16.splat (i32.const 10)))
    (block $done
      (loop $outer
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        ;; Each lane grows by at most 4 a turn, so 63 turns fit into its byte.
        (local.set $stop (i32.add (local.get $at) (i32.const 4032)))
        (if (i32.gt_u (local.get $stop) (local.get $end)) (then (local.set $stop (local.get $end))))
        (local.set $lanes (v128.const i64x2 0 0))
        (loop $inner
          (local.set $a (v128.load (local.get $at)))
          (local.set $b (v128.load offset=16 (local.get $at)))
          (local.set $c (v128.load offset=32 (local.get $at)))
          (local.set $d (v128.load offset=48 (local.get $at)))
          (local.set $high (v128.or (local.get $high)
            (v128.or (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d)))))
          (local.set $lanes (i8x16.sub (local.get $lanes)
            (i8x16.add
              (i8x16.add (i8x16.eq (local.get $a) (local.get $lf)) (i8x16.eq (local.get $b) (local.get $lf)))
              (i8x16.add (i8x16.eq (local.get $c) (local.get $lf)) (i8x16.eq (local.get $d) (local.get $lf))))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $inner (i32.lt_u (local.get $at) (local.get $stop))))
        (local.set $count (i32.add (local.get $count) (call $sum (local.get $lanes))))
        (br $outer)))
    (i32.or (local.get $count)
      (i32.shl (i32.ne (i8x16.bitmask (local.get $high)) (i32.const 0)) (i32.const 31))))

  ;; Bytes 0x80 to 0xbf in the block, which continue a character.
  (func (export "continuations") (param $at i32) (param $length i32) (result i32)
    (local $end i32) (local $stop i32) (local $count i32) (local $limit v128) (local $lanes v128)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $limit (i8x16.splat (i32.const -64)))
    (block $done
      (loop $outer
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $stop (i32.add (local.get $at) (i32.const 4032)))
        (if (i32.gt_u (local.get $stop) (local.get $end)) (then (local.set $stop (local.get $end))))
        (local.set $lanes (v128.const i64x2 0 0))
        (loop $inner
          (local.set $lanes (i8x16.sub (local.get $lanes)
            (i8x16.add
              (i8x16.add
                (i8x16.lt_s (v128.load (local.get $at)) (local.get $limit))
                (i8x16.lt_s (v128.load offset=16 (local.get $at)) (local.get $limit)))
              (i8x16.add
                (i8x16.lt_s (v128.load offset=32 (local.get $at)) (local.get $limit))
                (i8x16.lt_s (v128.load offset=48 (local.get $at)) (local.get $limit))))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $inner (i32.lt_u (local.get $at) (local.get $stop))))
        (local.set $count (i32.add (local.get $count) (call $sum (local.get $lanes))))
        (br $outer)))
    (local.get $count))

  ;; Control characters but tab, line feed and carriage return; bit 31 of the result is set when a NUL was met.
  (func (export "controls") (param $at i32) (param $length i32) (result i32)
    (local $end i32) (local $stop i32) (local $count i32)
    (local $least v128) (local $lanes v128) (local $a v128)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $least (i8x16.splat (i32.const -1)))
    (block $done
      (loop $outer
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        ;; Each lane grows by at most 1 a turn.
        (local.set $stop (i32.add (local.get $at) (i32.const 4032)))
        (if (i32.gt_u (local.get $stop) (local.get $end)) (then (local.set $stop (local.get $end))))
        (local.set $lanes (v128.const i64x2 0 0))
        (loop $inner
          (local.set $a (v128.load (local.get $at)))
          (local.set $least (i8x16.min_u (local.get $least) (local.get $a)))
          (local.set $lanes (i8x16.sub (local.get $lanes)
            (v128.or
              ;; Looked up for 0 to 15; what is larger gives 0.
              (i8x16.swizzle (v128.const i8x16 -1 -1 -1 -1 -1 -1 -1 -1 -1 0 0 -1 -1 0 -1 -1) (local.get $a))
              (i8x16.eq (v128.and (local.get $a) (i8x16.splat (i32.const 0xf0))) (i8x16.splat (i32.const 0x10))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $inner (i32.lt_u (local.get $at) (local.get $stop))))
        (local.set $count (i32.add (local.get $count) (call $sum (local.get $lanes))))
        (br $outer)))
    (i32.or (local.get $count)
      (i32.shl (i32.eqz (i8x16.all_true (local.get $least))) (i32.const 31))))

  (func $sum (param $lanes v128) (result i32)
    (local $sums v128)
    (local.set $sums (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $lanes))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums))))))
