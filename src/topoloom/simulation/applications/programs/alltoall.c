/* All-to-all: every rank sends `bytes` to every other rank, by MPI_Alltoall. */
#include "common.h"

static int holds(const char *in, int bytes, int rank, int ranks)
{
    for (int from = 0; from < ranks; from++)
        for (int i = 0; i < bytes; i++)
            if (in[(size_t)from * bytes + i] != (char)(from * 31 + rank * 17 + i))
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = (int)whole(argc, argv, "bytes"), repeats = (int)whole(argc, argv, "repeats");
    int check = (int)whole(argc, argv, "check");
    size_t all = (size_t)bytes * ranks;
    char *out = check ? malloc(all) : one_for_all("out", all), *in = check ? calloc(all, 1) : one_for_all("in", all);
    if (check)
        for (int to = 0; to < ranks; to++)
            for (int i = 0; i < bytes; i++)
                out[(size_t)to * bytes + i] = (char)(rank * 31 + to * 17 + i);

    start_together(time_to_agree());
    double begin = MPI_Wtime();
    for (int i = 0; i < repeats; i++)
        MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    double time = from_first_to_last(begin, MPI_Wtime()) / repeats;

    result("time", time, "s");
    result("bandwidth", (double)bytes * (ranks - 1) / time, "B/s"); /* that every rank sends */
    if (check)
        result("check", -largest(-holds(in, bytes, rank, ranks)), "-");
    MPI_Finalize();
    return 0;
}
