/* Effective bandwidth, after R. Rabenseifner's b_eff: one number for the bandwidth of a whole network.

   b_eff = logavg( logavg over ring patterns (mean over sizes b), logavg over random patterns (mean over sizes b) )
   b(pattern, size) = the best method's size * messages of the pattern / the slowest rank's time

   Every rank sends to both neighbours on its ring. A pattern cuts the ranks, in their order (ring patterns) or in a random
   one (random patterns), into rings of about 2, 4, 8, max(16, P/4), max(32, P/2) and P ranks. The 21 sizes are
   1, 2, 4, ..., 4096 bytes and eight more up to the maximum, each larger by the same factor. Methods: MPI_Sendrecv to the
   right and then to the left; all four messages nonblocking. Left out of the original: MPI_Alltoallv, and
   its 3 repetitions of up to 300 loops, of which a simulator needs fewer (loops=). */
#include "common.h"
#include <math.h>

enum { RINGS = 6, SMALL = 13, SIZES = 21, METHODS = 2, RIGHTWARD = 1, LEFTWARD = 2 };

static int ring_size(int kind, int ranks)
{
    int fourth = ranks / 4 > 16 ? ranks / 4 : 16, half = ranks / 2 > 32 ? ranks / 2 : 32;
    int size[RINGS] = {2, 4, 8, fourth, half, ranks};
    return size[kind] < ranks ? size[kind] : ranks;
}

/* The neighbours of the rank at `place` in the order. Rings differ by one rank at most. */
static void neighbours(const int *order, int ranks, int place, int size, int *left, int *right)
{
    int rings = ranks / size;
    int ring = (int)(((long)place * rings + rings - 1) / ranks); /* the ring that holds the place */
    while ((long)ring * ranks / rings > place)
        ring--;
    while ((long)(ring + 1) * ranks / rings <= place)
        ring++;
    int first = (int)((long)ring * ranks / rings), count = (int)((long)(ring + 1) * ranks / rings) - first;
    *right = order[first + (place - first + 1) % count];
    *left = order[first + (place - first + count - 1) % count];
}

static void exchange(int method, int left, int right, char *out, char *in, int bytes)
{
    MPI_Comm world = MPI_COMM_WORLD;
    if (method == 0) {
        MPI_Sendrecv(out, bytes, MPI_CHAR, right, RIGHTWARD, in, bytes, MPI_CHAR, left, RIGHTWARD, world, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, bytes, MPI_CHAR, left, LEFTWARD, in, bytes, MPI_CHAR, right, LEFTWARD, world, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Request all[4];
    MPI_Irecv(in, bytes, MPI_CHAR, left, RIGHTWARD, world, &all[0]);
    MPI_Irecv(in, bytes, MPI_CHAR, right, LEFTWARD, world, &all[1]);
    MPI_Isend(out, bytes, MPI_CHAR, right, RIGHTWARD, world, &all[2]);
    MPI_Isend(out, bytes, MPI_CHAR, left, LEFTWARD, world, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int most = (int)whole(argc, argv, "bytes"), loops = (int)whole(argc, argv, "loops");
    int orders = (int)whole(argc, argv, "orders");
    uint64_t state = (uint64_t)whole(argc, argv, "seed");
    char *out = one_for_all("out", most), *in = one_for_all("in", most);
    int patterns = RINGS * (1 + orders), size[SIZES];
    for (int i = 0; i < SIZES; i++)
        size[i] = i < SMALL ? 1 << i : (int)lround(4096 * pow(most / 4096.0, (i - SMALL + 1) / 8.0));

    double agreeing = time_to_agree();
    int *order = malloc(ranks * sizeof *order);
    double *time = malloc(patterns * SIZES * METHODS * sizeof *time);
    for (int pattern = 0; pattern < patterns; pattern++) {
        int place = 0, left, right;
        for (int i = 0; i < ranks; i++)
            order[i] = i;
        if (pattern >= RINGS)
            random_order(&state, order, ranks);
        while (order[place] != rank)
            place++;
        neighbours(order, ranks, place, ring_size(pattern % RINGS, ranks), &left, &right);
        for (int i = 0; i < SIZES; i++)
            for (int method = 0; method < METHODS; method++) {
                int times = most / size[i] < loops ? most / size[i] : loops;
                start_together(agreeing);
                double begin = MPI_Wtime();
                for (int loop = 0; loop < times; loop++)
                    exchange(method, left, right, out, in, size[i]);
                time[(pattern * SIZES + i) * METHODS + method] = (MPI_Wtime() - begin) / times;
            }
    }
    largest_of_each(time, patterns * SIZES * METHODS);

    if (rank == 0) {
        double log_of[2] = {0, 0}, log_at_most = 0;
        for (int pattern = 0; pattern < patterns; pattern++) {
            double sum = 0, b = 0;
            for (int i = 0; i < SIZES; i++) {
                double *of = &time[(pattern * SIZES + i) * METHODS];
                b = size[i] * 2.0 * ranks / (of[0] < of[1] ? of[0] : of[1]);
                sum += b;
            }
            log_of[pattern >= RINGS] += log(sum / SIZES) / (pattern >= RINGS ? RINGS * orders : RINGS);
            log_at_most += log(b) / (pattern >= RINGS ? RINGS * orders : RINGS) / 2;
        }
        result("beff", exp((log_of[0] + log_of[1]) / 2), "B/s");
        result("beff_a_rank", exp((log_of[0] + log_of[1]) / 2) / ranks, "B/s");
        result("rings", exp(log_of[0]), "B/s");
        result("random", exp(log_of[1]), "B/s");
        result("at_largest", exp(log_at_most), "B/s");
    }
    MPI_Finalize();
    return 0;
}
