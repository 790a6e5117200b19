/* Ping-pong: pairs of ranks, one pair after the other, send a message back and forth; half a round trip is the latency.

   pairs=0: the first and the last rank. pairs=N: N pairs drawn from the seed, every ordered pair equally likely. A pair
   begins when the pair before it has ended (a token passes from one to the next), so that the network is otherwise idle. */
#include "common.h"

enum { MESSAGE = 1, TOKEN = 2 };

static void draw(uint64_t *state, int ranks, int *from, int *to)
{
    *from = (int)(((next_word(state) >> 32) * (uint64_t)ranks) >> 32);
    *to = (int)(((next_word(state) >> 32) * (uint64_t)(ranks - 1)) >> 32);
    *to += *to >= *from;
}

static void pass_token(int rank, int from, int to)
{
    if (from != to && rank == from)
        MPI_Send(NULL, 0, MPI_CHAR, to, TOKEN, MPI_COMM_WORLD);
    if (from != to && rank == to)
        MPI_Recv(NULL, 0, MPI_CHAR, from, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The seconds of this many round trips, on rank `from`. */
static double round_trips(int rank, int from, int to, int repeats, char *out, char *in, int bytes)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < repeats; i++) {
        if (rank == from) {
            MPI_Send(out, bytes, MPI_CHAR, to, MESSAGE, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_CHAR, to, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, bytes, MPI_CHAR, from, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(in, bytes, MPI_CHAR, from, MESSAGE, MPI_COMM_WORLD); /* return what arrived */
        }
    }
    return MPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = (int)whole(argc, argv, "bytes"), repeats = (int)whole(argc, argv, "repeats");
    int pairs = (int)whole(argc, argv, "pairs"), check = (int)whole(argc, argv, "check");
    uint64_t state = (uint64_t)whole(argc, argv, "seed");
    char *out = check ? malloc(bytes + 1) : one_for_all("out", bytes), *in = check ? malloc(bytes + 1) : one_for_all("in", bytes);

    double least = 1e300, most = 0, sum = 0, wrong = 0;
    int count = pairs > 0 ? pairs : 1, before = -1;
    start_together(time_to_agree());
    for (int pair = 0; pair < count; pair++) {
        int from = 0, to = ranks - 1;
        if (pairs > 0)
            draw(&state, ranks, &from, &to);
        if (before >= 0)
            pass_token(rank, before, from);
        before = from;
        if (rank != from && rank != to)
            continue;
        if (check)
            for (int i = 0; i < bytes; i++) {
                out[i] = (char)(i * 7 + pair);
                in[i] = 0;
            }
        double latency = round_trips(rank, from, to, repeats, out, in, bytes) / (2.0 * repeats);
        if (check && memcmp(in, out, bytes) != 0)
            wrong += 1;
        if (rank == from) {
            least = latency < least ? latency : least;
            most = latency > most ? latency : most;
            sum += latency;
        }
    }
    pass_token(rank, before, 0);
    from_rank_0(0); /* results travel when the last pair has ended */
    least = -largest(-least);
    most = largest(most);
    sum = mean(sum) * ranks / count;
    wrong = largest(wrong);
    result("latency", sum, "s");
    result("latency_least", least, "s");
    result("latency_most", most, "s");
    result("bandwidth", bytes / sum, "B/s");
    result("pairs", count, "-");
    if (check)
        result("check", wrong == 0, "-");
    MPI_Finalize();
    return 0;
}
