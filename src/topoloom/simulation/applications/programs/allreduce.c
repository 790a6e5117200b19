/* All-reduce: the sum of a vector of doubles over all ranks, on every rank, by MPI_Allreduce. */
#include "common.h"

/* The sum costs the simulated machine nothing, and no sum is computed without a check. */
static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int count = (int)(whole(argc, argv, "bytes") / (long)sizeof(double)), repeats = (int)whole(argc, argv, "repeats");
    int check = (int)whole(argc, argv, "check");
    size_t all = (size_t)count * sizeof(double);
    double *out = check ? malloc(all) : one_for_all("out", all), *in = check ? calloc(all, 1) : one_for_all("in", all);
    for (int i = 0; check && i < count; i++)
        out[i] = rank + i;
    MPI_Op sum = MPI_SUM;
    if (!check)
        MPI_Op_create(nothing, 1, &sum);

    start_together(time_to_agree());
    double begin = MPI_Wtime();
    for (int i = 0; i < repeats; i++)
        MPI_Allreduce(out, in, count, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    double time = from_first_to_last(begin, MPI_Wtime()) / repeats;

    result("time", time, "s");
    result("bandwidth", (double)all / time, "B/s"); /* of the vector */
    result("bus_bandwidth", 2.0 * (ranks - 1) / ranks * (double)all / time, "B/s"); /* that a ring would send over a link */
    if (check) {
        double right = 1;
        for (int i = 0; i < count; i++)
            if (in[i] != 0.5 * ranks * (ranks - 1) + (double)ranks * i)
                right = 0;
        result("check", -largest(-right), "-");
    }
    MPI_Finalize();
    return 0;
}
