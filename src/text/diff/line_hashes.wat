;; Where the lines of a block end, and a hash of each. The caller leaves at least 16 bytes of memory behind the block.
;; After a change: wat2wasm line_hashes.wat, and its base64 into line_hashes.ts.
(module
  (memory (export "memory") 7)

  ;; Writes two numbers for each line that ends in a line feed, $most lines at most: its hash, and the place after its end.
  ;; Returns their count.
  (func (export "hashes") (param $at i32) (param $end i32) (param $seed i64) (param $factor i64) (param $out i32) (param $most i32) (result i32)
    (local $start i32) (local $count i32) (local $mask i32) (local $hash i64) (local $left i64) (local $feeds v128)
    (local.set $feeds (i8x16.splat (i32.const 10)))
    (block $done
      (loop $lines
        (br_if $done (i32.ge_u (local.get $count) (local.get $most)))
        (local.set $start (local.get $at))
        (block $found
          (loop $search
            (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
            (local.set $mask (i8x16.bitmask (i8x16.eq (local.get $feeds) (v128.load (local.get $at)))))
            (br_if $found (local.get $mask))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $search)))
        (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $left (i64.extend_i32_u (i32.sub (local.get $at) (local.get $start))))
        (local.set $hash (i64.rotl
          (i64.mul (i64.xor (local.get $seed) (local.get $left)) (local.get $factor))
          (i64.const 29)))
        (block $tail
          (loop $words
            (br_if $tail (i64.lt_u (local.get $left) (i64.const 8)))
            (local.set $hash (i64.rotl
              (i64.mul (i64.xor (local.get $hash) (i64.load align=1 (local.get $start))) (local.get $factor))
              (i64.const 29)))
            (local.set $start (i32.add (local.get $start) (i32.const 8)))
            (local.set $left (i64.sub (local.get $left) (i64.const 8)))
            (br $words)))
        ;; The bytes that are left, without those behind them.
        (local.set $hash (i64.mul
          (i64.xor (local.get $hash) (i64.and
            (i64.load align=1 (local.get $start))
            (i64.sub (i64.shl (i64.const 1) (i64.shl (local.get $left) (i64.const 3))) (i64.const 1))))
          (local.get $factor)))
        (local.set $hash (i64.mul (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32))) (local.get $factor)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (i32.store (local.get $out) (i32.wrap_i64 (i64.shr_u (local.get $hash) (i64.const 32))))
        (i32.store offset=4 (local.get $out) (local.get $at))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br $lines)))
    (local.get $count)))
