/* An MPI that says that it reads and writes memory of CUDA devices. That of the driver for tests is the host's: any MPI does. */
#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#undef MPIX_CUDA_AWARE_SUPPORT
#define MPIX_CUDA_AWARE_SUPPORT 1
#define MPIX_Query_cuda_support() 1
#else
#define MPIX_GPU_query_support(type, is_supported) (*(is_supported) = (type) == MPIX_GPU_SUPPORT_CUDA, MPI_SUCCESS)
#endif
