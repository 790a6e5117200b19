/* What the built-in programs share: arguments, results, the clock and buffers. */
#include "common.h"
#include <time.h>

static const char *text(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    fprintf(stderr, "%s: the argument %s= is missing\n", argv[0], name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return "";
}

long whole(int argc, char **argv, const char *name)
{
    return atol(text(argc, argv, name));
}

double number(int argc, char **argv, const char *name)
{
    return atof(text(argc, argv, name));
}

void result(const char *name, double value, const char *unit)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("result %s %.12g %s\n", name, value, unit);
        fflush(stdout);
    }
}

static void *shared(size_t bytes)
{
    return SMPI_SHARED_MALLOC(bytes);
}

void *one_for_all(const char *name, size_t bytes)
{
    return SMPI_SHARED_CALL(shared, name, bytes > 0 ? bytes : 1);
}

static double latest(double value)
{
    double most = 0;
    MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

double time_to_agree(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    latest(begin);
    return latest(MPI_Wtime() - begin);
}

void start_together(double agreeing)
{
    double start = latest(MPI_Wtime()) + 2 * agreeing, left = start - MPI_Wtime();
    struct timespec pause = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    if (left > 0)
        smpi_nanosleep(&pause, NULL);
}

double from_first_to_last(double begin, double end)
{
    double mine[2] = {-begin, end}, most[2] = {0, 0};
    MPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most[0] + most[1];
}

double largest(double value)
{
    double most = 0;
    MPI_Reduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

double mean(double value)
{
    int ranks;
    double sum = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum / ranks;
}

uint64_t next_word(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void random_order(uint64_t *state, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(((next_word(state) >> 32) * (uint64_t)(i + 1)) >> 32);
        int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
