/* A stencil on a grid in two or three dimensions: each rank keeps a block, swaps halos with its neighbours, computes.

   points=NXxNY[xNZ] over all ranks, cut by ranks=PXxPY[xPZ]. An iteration sends a slab of `halo` layers over each face (no
   edges, no corners: a star-shaped stencil needs none). overlap=1: the inner points are computed while the halos travel, the
   points at the faces after they have come. */
#include "common.h"

enum { MOST = 3 };

struct side { /* one face: the neighbour behind it, and how many values cross it */
    int neighbour, values, direction, dimension;
};

static void triple(int argc, char **argv, const char *name, int *out, int dims)
{
    const char *key[MOST] = {"x", "y", "z"};
    char full[32];
    for (int d = 0; d < dims; d++) {
        snprintf(full, sizeof full, "%s_%s", name, key[d]);
        out[d] = (int)whole(argc, argv, full);
    }
}

/* The check: a value that encodes the position of a point in the whole grid. */
static double mark(const long *point, const int *all, int dims)
{
    double value = 0;
    for (int d = 0; d < dims; d++)
        value = value * all[d] + (double)((point[d] % all[d] + all[d]) % all[d]);
    return value;
}

/* Fills a slab with the marks of its points (or counts how many differ): `halo` layers from `start` in one dimension. */
static long slab(double *values, int compare, int dimension, long start, int halo, const long *first, const int *block,
                 const int *all, int dims)
{
    long low[MOST] = {0, 0, 0}, high[MOST] = {1, 1, 1}, point[MOST], wrong = 0, i = 0;
    for (int d = 0; d < dims; d++) {
        low[d] = d == dimension ? start : first[d];
        high[d] = low[d] + (d == dimension ? halo : block[d]);
    }
    for (point[0] = low[0]; point[0] < high[0]; point[0]++)
        for (point[1] = low[1]; point[1] < high[1]; point[1]++)
            for (point[2] = low[2]; point[2] < high[2]; point[2]++, i++) {
                double should = mark(point, all, dims);
                if (compare)
                    wrong += values[i] != should;
                else
                    values[i] = should;
            }
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, size, all[MOST] = {1, 1, 1}, cut[MOST] = {1, 1, 1}, at[MOST], block[MOST] = {1, 1, 1}, round[MOST];
    long first[MOST] = {0, 0, 0};
    MPI_Init(&argc, &argv);
    int dims = (int)whole(argc, argv, "dims"), halo = (int)whole(argc, argv, "halo");
    int iterations = (int)whole(argc, argv, "iterations"), overlap = (int)whole(argc, argv, "overlap");
    int periodic = (int)whole(argc, argv, "periodic"), check = (int)whole(argc, argv, "check");
    double flops = number(argc, argv, "flops");
    triple(argc, argv, "points", all, dims);
    triple(argc, argv, "ranks", cut, dims);
    for (int d = 0; d < MOST; d++)
        round[d] = periodic;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, dims, cut, round, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Comm_size(grid, &size);
    MPI_Cart_coords(grid, rank, dims, at);
    double points = 1, inner = 1;
    for (int d = 0; d < dims; d++) {
        first[d] = (long)at[d] * all[d] / cut[d];
        block[d] = (int)((long)(at[d] + 1) * all[d] / cut[d] - first[d]);
        points *= block[d];
        inner *= block[d] > 2 * halo ? block[d] - 2 * halo : 0;
    }

    struct side side[2 * MOST];
    int sides = 0, most = 0;
    for (int d = 0; d < dims; d++) {
        int behind, ahead, values = (int)(halo * points / block[d]);
        MPI_Cart_shift(grid, d, 1, &behind, &ahead);
        if (behind != MPI_PROC_NULL && cut[d] > 1) /* a rank that is its own neighbour sends nothing */
            side[sides++] = (struct side){behind, values, 0, d};
        if (ahead != MPI_PROC_NULL && cut[d] > 1)
            side[sides++] = (struct side){ahead, values, 1, d};
        most = values > most ? values : most;
    }
    double *out[2 * MOST], *in[2 * MOST];
    for (int s = 0; s < sides; s++) {
        out[s] = check ? malloc(side[s].values * sizeof(double)) : NULL;
        in[s] = check ? calloc(side[s].values, sizeof(double)) : NULL;
        int d = side[s].dimension;
        if (check) /* the own points nearest to the face */
            slab(out[s], 0, d, side[s].direction ? first[d] + block[d] - halo : first[d], halo, first, block, all, dims);
    }
    char *any = one_for_all("halo", (size_t)largest_for_all(most) * sizeof(double));

    start_together(time_to_agree());
    double begin = MPI_Wtime(), talking = 0;
    for (int i = 0; i < iterations; i++) {
        MPI_Request all_of[4 * MOST];
        double start = MPI_Wtime();
        for (int s = 0; s < sides; s++) { /* the tag encodes the direction of a message */
            int tag = 2 * side[s].dimension + !side[s].direction;
            MPI_Irecv(check ? (void *)in[s] : any, side[s].values, MPI_DOUBLE, side[s].neighbour, tag, grid, &all_of[s]);
        }
        for (int s = 0; s < sides; s++) {
            int tag = 2 * side[s].dimension + side[s].direction;
            MPI_Isend(check ? (void *)out[s] : any, side[s].values, MPI_DOUBLE, side[s].neighbour, tag, grid, &all_of[sides + s]);
        }
        talking += MPI_Wtime() - start;
        if (overlap)
            smpi_execute_flops(flops * inner);
        start = MPI_Wtime();
        MPI_Waitall(2 * sides, all_of, MPI_STATUSES_IGNORE);
        talking += MPI_Wtime() - start;
        smpi_execute_flops(flops * (overlap ? points - inner : points));
    }
    double end = MPI_Wtime(), share = largest(talking / (end - begin)), of_all = mean(talking / (end - begin));
    double time = from_first_to_last(begin, end);

    double total = 1;
    for (int d = 0; d < dims; d++)
        total *= all[d];
    result("time", time, "s");
    result("iteration", time / iterations, "s");
    result("speed", flops * total * iterations / time, "flop/s");
    result("communication", of_all, "-");
    result("communication_most", share, "-");
    if (check) {
        long wrong = 0;
        for (int s = 0; s < sides; s++) { /* the neighbour's points beyond the face */
            int d = side[s].dimension;
            wrong += slab(in[s], 1, d, side[s].direction ? first[d] + block[d] : first[d] - halo, halo, first, block, all, dims);
        }
        result("check", largest((double)wrong) == 0, "-");
    }
    MPI_Finalize();
    return 0;
}
