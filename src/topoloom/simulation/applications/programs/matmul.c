/* C = A B by SUMMA (van de Geijn and Watts 1997): square matrices of doubles in blocks over a grid of ranks.

   For panel after panel of A's columns and B's rows, the rank that keeps it broadcasts its part of the columns along its row
   of ranks and of the rows along its column; then every rank multiplies what it got. Sides that do not divide evenly give
   blocks that differ by one; a panel ends where the rank that keeps it changes. */
#include "common.h"

static int first_of(int part, int n, int parts)
{
    return (int)((long)part * n / parts);
}

static int owner(int k, int n, int parts)
{
    int part = (int)((long)k * parts / n);
    while (first_of(part + 1, n, parts) <= k)
        part++;
    return part;
}

static double a_at(int i, int k) { return (i * 3 + k) % 7 - 3; }
static double b_at(int k, int j) { return (k * 5 + j * 2) % 9 - 4; }

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int n = (int)whole(argc, argv, "n"), width = (int)whole(argc, argv, "block");
    int rows = (int)whole(argc, argv, "rows"), columns = ranks / rows, check = (int)whole(argc, argv, "check");
    int row = rank / columns, column = rank % columns; /* numbered as by MPI_Cart_create */
    MPI_Comm along_row, along_column;
    MPI_Comm_split(MPI_COMM_WORLD, row, column, &along_row);
    MPI_Comm_split(MPI_COMM_WORLD, column, row, &along_column);
    int top = first_of(row, n, rows), height = first_of(row + 1, n, rows) - top;
    int left = first_of(column, n, columns), breadth = first_of(column + 1, n, columns) - left;
    size_t most = (size_t)width * (n / (rows < columns ? rows : columns) + 1);
    double *a = check ? malloc((size_t)height * width * sizeof *a) : one_for_all("a", most * sizeof *a);
    double *b = check ? malloc((size_t)breadth * width * sizeof *b) : one_for_all("b", most * sizeof *b);
    double *c = check ? calloc((size_t)height * breadth, sizeof *c) : NULL;

    start_together(time_to_agree());
    double begin = MPI_Wtime(), talking = 0;
    for (int k = 0, next; k < n; k = next) {
        int has_a = owner(k, n, columns), has_b = owner(k, n, rows);
        int end_a = first_of(has_a + 1, n, columns), end_b = first_of(has_b + 1, n, rows);
        next = k + width < end_a ? k + width : end_a;
        next = next < end_b ? next : end_b;
        int deep = next - k;
        if (check && column == has_a)
            for (int i = 0; i < height; i++)
                for (int p = 0; p < deep; p++)
                    a[i * deep + p] = a_at(top + i, k + p);
        if (check && row == has_b)
            for (int p = 0; p < deep; p++)
                for (int j = 0; j < breadth; j++)
                    b[p * breadth + j] = b_at(k + p, left + j);
        double start = MPI_Wtime();
        MPI_Bcast(a, height * deep, MPI_DOUBLE, has_a, along_row);
        MPI_Bcast(b, deep * breadth, MPI_DOUBLE, has_b, along_column);
        talking += MPI_Wtime() - start;
        smpi_execute_flops(2.0 * height * breadth * deep);
        for (int i = 0; check && i < height; i++)
            for (int p = 0; p < deep; p++)
                for (int j = 0; j < breadth; j++)
                    c[i * breadth + j] += a[i * deep + p] * b[p * breadth + j];
    }
    double end = MPI_Wtime(), share = largest(talking / (end - begin)), of_all = mean(talking / (end - begin));
    double time = from_first_to_last(begin, end);

    result("time", time, "s");
    result("speed", 2.0 * n * n * n / time, "flop/s");
    result("communication", of_all, "-");
    result("communication_most", share, "-");
    if (check) {
        double wrong = 0;
        for (int i = 0; i < height; i++)
            for (int j = 0; j < breadth; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += a_at(top + i, k) * b_at(k, left + j);
                wrong += sum != c[i * breadth + j];
            }
        result("check", largest(wrong) == 0, "-");
    }
    MPI_Finalize();
    return 0;
}
