;; A text in the bytes of a block. The caller leaves at least 80 bytes of memory behind the block, and the needle after those.
;; After a change: wat2wasm haystack.wat, and its base64 into haystack.ts.
(module
  (memory (export "memory") 5)

  ;; First place at or after $at where the needle of $length bytes stands, before $end; -1 when there is none.
  ;; $first and $second are the places in the needle of its two rarest bytes.
  (func (export "find") (param $at i32) (param $end i32) (param $needle i32) (param $length i32) (param $first i32) (param $second i32) (result i32)
    (local $a v128) (local $b v128) (local $last i32) (local $mask i32) (local $place i32) (local $i i32)
    (local.set $a (i8x16.splat (i32.load8_u (i32.add (local.get $needle) (local.get $first)))))
    (local.set $b (i8x16.splat (i32.load8_u (i32.add (local.get $needle) (local.get $second)))))
    (local.set $last (i32.sub (local.get $end) (local.get $length)))
    (block $none
      (loop $blocks
        (br_if $none (i32.gt_s (local.get $at) (local.get $last)))
        (local.set $mask (i8x16.bitmask (v128.and
          (i8x16.eq (local.get $a) (v128.load (i32.add (local.get $at) (local.get $first))))
          (i8x16.eq (local.get $b) (v128.load (i32.add (local.get $at) (local.get $second)))))))
        (block $next
          (loop $places
            (br_if $next (i32.eqz (local.get $mask)))
            (local.set $place (i32.add (local.get $at) (i32.ctz (local.get $mask))))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br_if $none (i32.gt_s (local.get $place) (local.get $last)))
            (local.set $i (i32.const 0))
            (loop $bytes
              (if (i32.eq (local.get $i) (local.get $length)) (then (return (local.get $place))))
              (br_if $places (i32.ne
                (i32.load8_u (i32.add (local.get $place) (local.get $i)))
                (i32.load8_u (i32.add (local.get $needle) (local.get $i)))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br $bytes))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $blocks)))
    (i32.const -1)))
