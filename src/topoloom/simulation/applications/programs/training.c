/* One step of training a transformer on tensor-, data-, expert- and pipeline-parallel ranks, as messages and operations.

   The sizes of messages and the operations are worked out before (training_model.py); here is who sends when. Ranks are
   numbered tensor first, then data, then pipeline; expert groups are runs of the data dimension. Micro-batches run
   through the stages one forward, one backward (1F1B). Gradients are summed when all micro-batches are done.

   ring=1: sums over rings and all-to-all by pairs of ranks, written here, whatever the simulator is configured for
   collectives; ring=0: MPI's collectives. */
#include "common.h"
#include <simgrid/host.h>

enum kind { COMPUTE, TENSOR, EXPERT, PIPELINE, DATA, EMBEDDING, KINDS };
enum { FORWARD = 1, BACKWARD = 2, RING = 3 };
static const char *const kind_name[KINDS] = {"compute", "tensor", "expert", "pipeline", "data", "embedding"};

struct step { /* the parameters of a rank */
    MPI_Comm tensor, expert, pipeline, data, expert_data, embedding;
    int stage, stages, layers, every, ring, zero, recompute;
    double attention_flops, feedforward_flops, expert_flops, logit_flops;
    long tensor_bytes, pair_bytes, pipeline_bytes, bucket;
    MPI_Op nothing;
    char *out, *in;
    MPI_Request sent[2];
    double time[KINDS];
};

static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static long part(long bytes, int i, int parts)
{
    return bytes * (i + 1) / parts - bytes * i / parts;
}

/* One turn of a ring: every part but one travels to the next rank, step after step. */
static void turn(struct step *of, long bytes, MPI_Comm comm)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < ranks - 1; i++) {
        int own = (rank - i + ranks) % ranks, coming = (own - 1 + ranks) % ranks;
        MPI_Sendrecv(of->out, (int)part(bytes, own, ranks), MPI_CHAR, (rank + 1) % ranks, RING, of->in,
                     (int)part(bytes, coming, ranks), MPI_CHAR, (rank - 1 + ranks) % ranks, RING, comm, MPI_STATUS_IGNORE);
    }
}

static void reduce_scatter(struct step *of, long bytes, MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    if (of->ring)
        turn(of, bytes, comm);
    else
        MPI_Reduce_scatter_block(of->out, of->in, (int)(bytes / ranks), MPI_CHAR, of->nothing, comm);
}

static void all_gather(struct step *of, long bytes, MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    if (of->ring)
        turn(of, bytes, comm);
    else
        MPI_Allgather(of->out, (int)(bytes / ranks), MPI_CHAR, of->in, (int)(bytes / ranks), MPI_CHAR, comm);
}

static void all_reduce(struct step *of, long bytes, MPI_Comm comm)
{
    if (of->ring) { /* a ring's sum is a reduce-scatter and an all-gather */
        turn(of, bytes, comm);
        turn(of, bytes, comm);
    } else {
        MPI_Allreduce(of->out, of->in, (int)bytes, MPI_CHAR, of->nothing, comm);
    }
}

/* An operation on more bytes than a bucket holds is done bucket by bucket; a single rank does nothing. */
static void collective(struct step *of, enum kind kind, void (*act)(struct step *, long, MPI_Comm), double bytes, MPI_Comm comm)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    if (ranks == 1)
        return;
    double begin = MPI_Wtime();
    for (long left = (long)bytes; left > 0; left -= of->bucket)
        act(of, left < of->bucket ? left : of->bucket, comm);
    of->time[kind] += MPI_Wtime() - begin;
}

static void all_to_all(struct step *of)
{
    int rank, ranks, bytes = (int)of->pair_bytes;
    MPI_Comm_rank(of->expert, &rank);
    MPI_Comm_size(of->expert, &ranks);
    if (ranks == 1)
        return;
    double begin = MPI_Wtime();
    if (!of->ring)
        MPI_Alltoall(of->out, bytes, MPI_CHAR, of->in, bytes, MPI_CHAR, of->expert);
    for (int i = 1; i < ranks && of->ring; i++)
        MPI_Sendrecv(of->out, bytes, MPI_CHAR, (rank + i) % ranks, RING, of->in, bytes, MPI_CHAR, (rank - i + ranks) % ranks,
                     RING, of->expert, MPI_STATUS_IGNORE);
    of->time[EXPERT] += MPI_Wtime() - begin;
}

static void compute(struct step *of, double flops)
{
    double begin = MPI_Wtime();
    smpi_execute_flops(flops);
    of->time[COMPUTE] += MPI_Wtime() - begin;
}

/* The layers of this stage for one micro-batch; `times` is 1 forward, 2 backward: as many operations, the same messages. */
static void pass(struct step *of, int times, int logits)
{
    if (logits && times == 2 && of->stage == of->stages - 1)
        compute(of, 2 * of->logit_flops);
    for (int i = 0; i < of->layers; i++) {
        int layer = of->stage * of->layers + (times == 1 ? i : of->layers - 1 - i);
        int experts = of->every > 0 && (layer + 1) % of->every == 0;
        for (int half = 0; half < 2; half++) {
            int attention = (half == 0) == (times == 1); /* backward begins with the feed-forward half */
            if (!attention && experts)
                all_to_all(of);
            compute(of, times * (attention ? of->attention_flops : experts ? of->expert_flops : of->feedforward_flops));
            if (!attention && experts)
                all_to_all(of);
            collective(of, TENSOR, all_reduce, (double)of->tensor_bytes, of->tensor);
        }
    }
    if (logits && times == 1 && of->stage == of->stages - 1)
        compute(of, of->logit_flops);
}

static void receive(struct step *of, int way)
{
    int from = way == FORWARD ? of->stage - 1 : of->stage + 1;
    if (from < 0 || from >= of->stages)
        return;
    double begin = MPI_Wtime();
    MPI_Recv(of->in, (int)of->pipeline_bytes, MPI_CHAR, from, way, of->pipeline, MPI_STATUS_IGNORE);
    of->time[PIPELINE] += MPI_Wtime() - begin;
}

/* Sends without waiting; the previous message in the same direction must have been sent. */
static void send(struct step *of, int way)
{
    int to = way == FORWARD ? of->stage + 1 : of->stage - 1;
    if (to < 0 || to >= of->stages)
        return;
    double begin = MPI_Wtime();
    MPI_Wait(&of->sent[way - FORWARD], MPI_STATUS_IGNORE);
    MPI_Isend(of->out, (int)of->pipeline_bytes, MPI_CHAR, to, way, of->pipeline, &of->sent[way - FORWARD]);
    of->time[PIPELINE] += MPI_Wtime() - begin;
}

static void forward(struct step *of)
{
    receive(of, FORWARD);
    pass(of, 1, 1);
    send(of, FORWARD);
}

static void backward(struct step *of)
{
    receive(of, BACKWARD);
    if (of->recompute) /* the layers' forward pass once more, but not the logits */
        pass(of, 1, 0);
    pass(of, 2, 1);
    send(of, BACKWARD);
}

static void pipeline(struct step *of, int batches)
{
    int ahead = of->stages - 1 - of->stage < batches ? of->stages - 1 - of->stage : batches;
    for (int i = 0; i < ahead; i++)
        forward(of);
    for (int i = 0; i < batches - ahead; i++) {
        forward(of);
        backward(of);
    }
    for (int i = 0; i < ahead; i++)
        backward(of);
    double begin = MPI_Wtime();
    MPI_Waitall(2, of->sent, MPI_STATUSES_IGNORE);
    of->time[PIPELINE] += MPI_Wtime() - begin;
}

static void gradients(struct step *of, double gradient_bytes, double value_bytes, MPI_Comm comm)
{
    if (of->zero) { /* ZeRO stage 1: each rank updates its share of the parameters, then all get them */
        collective(of, DATA, reduce_scatter, gradient_bytes, comm);
        collective(of, DATA, all_gather, value_bytes, comm);
    } else {
        collective(of, DATA, all_reduce, gradient_bytes, comm);
    }
}

static void split(int tp, int dp, int ep, struct step *of)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int t = rank % tp, d = rank / tp % dp, last = of->stages - 1;
    of->stage = rank / (tp * dp);
    MPI_Comm_split(MPI_COMM_WORLD, rank / tp, t, &of->tensor);
    MPI_Comm_split(MPI_COMM_WORLD, of->stage * tp + t, d, &of->data);
    MPI_Comm_split(of->data, d / ep, d % ep, &of->expert);
    MPI_Comm_split(of->data, d % ep, d / ep, &of->expert_data);
    MPI_Comm_split(MPI_COMM_WORLD, rank % (tp * dp), of->stage, &of->pipeline);
    MPI_Comm_split(of->pipeline, of->stage == 0 || of->stage == last ? 0 : of->stage, of->stage, &of->embedding);
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int tp = (int)whole(argc, argv, "tp"), dp = (int)whole(argc, argv, "dp"), pp = (int)whole(argc, argv, "pp");
    struct step of = {
        .stages = pp, .layers = (int)whole(argc, argv, "layers"), .every = (int)whole(argc, argv, "every"),
        .ring = (int)whole(argc, argv, "ring"), .zero = (int)whole(argc, argv, "zero"),
        .recompute = (int)whole(argc, argv, "recompute"), .attention_flops = number(argc, argv, "attention_flops"),
        .feedforward_flops = number(argc, argv, "feedforward_flops"), .expert_flops = number(argc, argv, "expert_flops"),
        .logit_flops = number(argc, argv, "logit_flops"), .tensor_bytes = whole(argc, argv, "activation_bytes"),
        .pair_bytes = whole(argc, argv, "pair_bytes"), .pipeline_bytes = whole(argc, argv, "activation_bytes"),
        .bucket = whole(argc, argv, "bucket"), .sent = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
    };
    int ep = (int)whole(argc, argv, "ep"), batches = (int)whole(argc, argv, "micro_batches");
    split(tp, dp, ep, &of);
    int edge = of.stage == 0 || of.stage == pp - 1;
    double shared = number(argc, argv, "layer_parameters"), own = number(argc, argv, "expert_parameters");
    double embedding = number(argc, argv, "embedding_parameters"), copies = edge ? (pp == 1 ? number(argc, argv, "embeddings") : 1) : 0;
    double value = number(argc, argv, "value_bytes"), gradient = number(argc, argv, "gradient_bytes");
    int tied = number(argc, argv, "embeddings") == 1;
    shared += copies * embedding;
    size_t room = (size_t)(of.ring ? of.bucket / 2 + 1 : of.bucket); /* a ring of two sends halves */
    size_t pairs = (size_t)of.pair_bytes * (size_t)(of.ring ? 1 : ep);
    room = room > (size_t)of.pipeline_bytes ? room : (size_t)of.pipeline_bytes;
    room = room > pairs ? room : pairs;
    of.out = one_for_all("out", room);
    of.in = one_for_all("in", room);
    MPI_Op_create(nothing, 1, &of.nothing);

    start_together(time_to_agree());
    double begin = MPI_Wtime();
    pipeline(&of, batches);
    gradients(&of, shared * gradient, shared * value, of.data);
    gradients(&of, own * gradient, own * value, of.expert_data);
    if (tied && edge) /* the first and the last stage keep the same embedding */
        collective(&of, EMBEDDING, all_reduce, embedding * gradient, of.embedding);
    double end = MPI_Wtime(), talking = mean(1 - of.time[COMPUTE] / (end - begin));
    double time = from_first_to_last(begin, end);

    double flops = number(argc, argv, "model_flops");
    result("time", time, "s");
    for (int kind = 0; kind < KINDS; kind++)
        result(kind_name[kind], largest(of.time[kind]), "s");
    result("communication", talking, "-");
    result("tokens", number(argc, argv, "tokens") / time, "1/s");
    result("speed", flops / time, "flop/s");
    result("utilisation", flops / time / (ranks * sg_host_get_speed(sg_host_self())), "-");
    MPI_Finalize();
    return 0;
}
