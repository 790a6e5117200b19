/* Shared by the built-in programs: arguments, results, the clock and buffers. */
#include "common.h"
#include <time.h>

enum { GATHER = 30000 }; /* a tag that no program uses */

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

/* Up a binomial tree to rank 0: the largest, or the sum, of each value. */
static void gather(double *values, int count, int sum)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *theirs = malloc(count * sizeof *theirs);
    for (int step = 1; step < ranks; step *= 2) {
        if (rank & step) {
            MPI_Send(values, count, MPI_DOUBLE, rank - step, GATHER, MPI_COMM_WORLD);
            break;
        }
        if (rank + step < ranks) {
            MPI_Recv(theirs, count, MPI_DOUBLE, rank + step, GATHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < count; i++)
                values[i] = sum ? values[i] + theirs[i] : theirs[i] > values[i] ? theirs[i] : values[i];
        }
    }
    free(theirs);
}

double from_rank_0(double value)
{
    int rank, ranks, step = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (step < ranks)
        step *= 2;
    for (step /= 2; step >= 1; step /= 2) {
        if (rank % (2 * step) == step)
            MPI_Recv(&value, 1, MPI_DOUBLE, rank - step, GATHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank % (2 * step) == 0 && rank + step < ranks)
            MPI_Send(&value, 1, MPI_DOUBLE, rank + step, GATHER, MPI_COMM_WORLD);
    }
    return value;
}

double largest_for_all(double value)
{
    gather(&value, 1, 0);
    return from_rank_0(value);
}

double time_to_agree(void)
{
    largest_for_all(0);
    double begin = MPI_Wtime();
    largest_for_all(begin);
    return largest_for_all(MPI_Wtime() - begin);
}

void start_together(double agreeing)
{
    double start = largest_for_all(MPI_Wtime()) + 2 * agreeing, left = start - MPI_Wtime();
    struct timespec pause = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    if (left > 0)
        smpi_nanosleep(&pause, NULL);
}

double from_first_to_last(double begin, double end)
{
    double most[2] = {-begin, end};
    gather(most, 2, 0);
    return most[0] + most[1];
}

void largest_of_each(double *values, int count)
{
    gather(values, count, 0);
}

double largest(double value)
{
    gather(&value, 1, 0);
    return value;
}

double mean(double value)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gather(&value, 1, 1);
    return value / ranks;
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
