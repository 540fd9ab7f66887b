/* LinUCB rounds written by hand in C: the yardstick for the loop of the package.
 *
 * Contexts are (rounds, dim, arms), as in the package, so inner loops read consecutive memory. It
 * uses Sherman-Morrison for the inverse and recursive least squares for theta. There is no attack,
 * and only regret and pulls are recorded. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double linucb(int64_t rounds, int64_t dim, int64_t arms, const double *contexts, const double *means,
              const double *best, const double *noise, double ridge, double sigma, double delta,
              int64_t first, double *inverse, double *theta, int64_t *pulls)
{
    double *score = malloc(sizeof(double) * arms), *form = malloc(sizeof(double) * arms);
    double *inner = malloc(sizeof(double) * arms);
    double *x = malloc(sizeof(double) * dim), *v = malloc(sizeof(double) * dim);
    double regret = 0;
    for (int64_t t = 0; t < rounds; t++) {
        const double *restrict shown = contexts + t * dim * arms;
        double beta = sigma * sqrt(dim * log((1 + (first + t + 1) / ridge) / delta)) + sqrt(ridge);
        memset(score, 0, sizeof(double) * arms);
        memset(form, 0, sizeof(double) * arms);
        for (int64_t i = 0; i < dim; i++) {
            const double *restrict row = shown + i * arms;
            const double half = 0.5 * inverse[i * dim + i], weight = theta[i];
            for (int64_t a = 0; a < arms; a++) {
                score[a] += weight * row[a];
                inner[a] = half * row[a];
            }
            for (int64_t j = 0; j < i; j++) {
                const double w = inverse[i * dim + j];
                const double *restrict other = shown + j * arms;
                for (int64_t a = 0; a < arms; a++) inner[a] += w * other[a];
            }
            for (int64_t a = 0; a < arms; a++) form[a] += inner[a] * row[a];
        }
        int64_t arm = 0;
        for (int64_t a = 0; a < arms; a++) score[a] += beta * sqrt(2 * form[a]);
        for (int64_t a = 1; a < arms; a++) if (score[a] > score[arm]) arm = a;
        const double reward = means[t * arms + arm] + noise[t];
        regret += best[t] - means[t * arms + arm];
        pulls[arm]++;
        for (int64_t i = 0; i < dim; i++) x[i] = shown[i * arms + arm];
        double leverage = 0, guess = 0;
        for (int64_t i = 0; i < dim; i++) {
            double sum = 0;
            for (int64_t j = 0; j < dim; j++) sum += inverse[i * dim + j] * x[j];
            v[i] = sum;
        }
        for (int64_t i = 0; i < dim; i++) { leverage += x[i] * v[i]; guess += x[i] * theta[i]; }
        const double shrink = 1 / (1 + leverage), step = shrink * (reward - guess);
        for (int64_t i = 0; i < dim; i++) {
            const double w = shrink * v[i];
            theta[i] += step * v[i];
            for (int64_t j = 0; j < dim; j++) inverse[i * dim + j] -= w * v[j];
        }
    }
    free(score); free(form); free(inner); free(x); free(v);
    return regret;
}
