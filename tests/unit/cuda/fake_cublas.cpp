// The fake's cuBLAS: matrix products on the host.
#include <algorithm>
#include <vector>

#include "tests/unit/cuda/fake_state.h"

using namespace headway::fake;

extern "C" {

const char* cublasGetStatusString(cublasStatus_t) {
    return "a cuBLAS error";
}
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    const std::lock_guard lock(mutex);
    if (enter("cublasCreate") != 0) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *handle = new cublasContext;
    (*handle)->device = current_device;
    state.handles.insert(*handle);
    ++state.counts.handles;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    const std::lock_guard lock(mutex);
    --state.counts.handles;
    state.handles.erase(handle);
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    const std::lock_guard lock(mutex);
    if (enter("cublasSetStream") != 0) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (handle->device != stream->device) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void* workspace, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (enter("cublasSetWorkspace") != 0) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    return workspace != nullptr && bytes != 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
    const std::lock_guard lock(mutex);
    if (enter("cublasSetMathMode") != 0) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    state.counts.tf32 = mode == CUBLAS_TF32_TENSOR_OP_MATH;
    return CUBLAS_STATUS_SUCCESS;
}
// Runs as two kernels, as in a real library: the first computes, the second scales by one.
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                              int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                              const float* beta, float* c, int ldc) {
    const std::lock_guard lock(mutex);
    if (enter("cublasSgemm") != 0) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    if (*alpha != 1.0f || *beta != 0.0f || ldc < m || lda < (op_a == CUBLAS_OP_N ? m : k) ||
        ldb < (op_b == CUBLAS_OP_N ? k : n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const auto bytes = [](int columns, int stride, int rows) {
        return (static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(stride) +
                static_cast<std::size_t>(rows)) *
               sizeof(float);
    };
    const bool a_is_plain = op_a == CUBLAS_OP_N;
    const bool b_is_plain = op_b == CUBLAS_OP_N;
    const auto product = [=] {
        std::vector<double> sums(static_cast<std::size_t>(m));
        for (int j = 0; j < n; ++j) {
            std::fill(sums.begin(), sums.end(), 0.0);
            for (int p = 0; p < k; ++p) {
                const auto factor = static_cast<double>(b_is_plain ? b[p + j * ldb] : b[j + p * ldb]);
                const float* column = a_is_plain ? a + p * lda : a + p;
                const int step = a_is_plain ? 1 : lda;
                for (int i = 0; i < m; ++i) {
                    sums[static_cast<std::size_t>(i)] += static_cast<double>(column[i * step]) * factor;
                }
            }
            for (int i = 0; i < m; ++i) {
                c[i + j * ldc] = static_cast<float>(sums[static_cast<std::size_t>(i)]);
            }
        }
    };
    push_kernel(handle->stream, {"gemm",
                                 product,
                                 {{a, bytes(a_is_plain ? k : m, lda, a_is_plain ? m : k), false},
                                  {b, bytes(b_is_plain ? n : k, ldb, b_is_plain ? k : n), false},
                                  {c, bytes(n, ldc, m), true}}});
    push_kernel(handle->stream, {"gemm_scale", [] {}, {{c, bytes(n, ldc, m), true}}});
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
