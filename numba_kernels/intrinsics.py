"""The few instructions that numba has no name for, each a line or two of LLVM.

All of them are portable: LLVM lowers a vector of any width to what the processor has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sdmetrics_disclosure.numba_kernels.jit import FloatArray

DOUBLE = ir.DoubleType()
INT64 = ir.IntType(64)
SCANNED = 64  # numbers that `mask_below` compares at once, one bit each


def _wide_vectors(typingctx: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # llvmlite's own `add` accepts only the attributes it has a name for
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), generate


def _smaller(typingctx: Any, left: Any, right: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(DOUBLE, [DOUBLE, DOUBLE]), "llvm.minnum.f64"
        )
        return builder.call(function, arguments)

    return types.float64(types.float64, types.float64), generate


def _float_bits(typingctx: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], INT64)

    return types.int64(types.float64), generate


def _float_from_bits(typingctx: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], DOUBLE)

    return types.float64(types.int64), generate


def _mask_below(typingctx: Any, values: Any, start: Any, bound: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.VectorType(DOUBLE, SCANNED)
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(array.data, [arguments[1]])
        numbers = builder.load(builder.bitcast(address, wide.as_pointer()), align=8)
        one = builder.insert_element(ir.Constant(wide, ir.Undefined), arguments[2], INT64(0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), SCANNED), [0] * SCANNED)
        bounds = builder.shuffle_vector(one, ir.Constant(wide, ir.Undefined), lanes)
        return builder.bitcast(builder.fcmp_ordered("<", numbers, bounds), INT64)

    return types.uint64(values, types.intp, types.float64), generate


def _lowest_bit(typingctx: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


#: Let LLVM use 512-bit vectors in the calling kernel, where the processor has them. LLVM keeps to
#: 256 bits on most AVX-512 processors unless the function says otherwise, and the outermost kernel
#: must say it, because the functions it calls are inlined first.
wide_vectors: Callable[[], None] = intrinsic(_wide_vectors)

#: The smaller of two float64 by `llvm.minnum`, which `fast_inlined` reductions can vectorise.
smaller: Callable[[float, float], float] = intrinsic(_smaller)

#: The 64 bits of a float64 as an int64, and back.
float_bits: Callable[[float], int] = intrinsic(_float_bits)
float_from_bits: Callable[[int], float] = intrinsic(_float_from_bits)

#: (contiguous float64 array, start, bound) -> a bit for each of the SCANNED numbers from `start`
#: on, set where the number is below `bound`. The array must reach that far: nothing is checked.
mask_below: Callable[[FloatArray, int, float], Any] = intrinsic(_mask_below)

#: The position of the lowest set bit of a mask that is not 0.
lowest_bit: Callable[[Any], int] = intrinsic(_lowest_bit)
