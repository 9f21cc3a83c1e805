// The little of <math.h> that the files of musl beside this one use.
#ifndef MATH_H
#define MATH_H

#include <float.h>
#include <stdint.h>

typedef double double_t;
typedef float float_t;

#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define fabs(x) __builtin_fabs(x)
#define floor(x) __builtin_floor(x)

double atan(double);
double atan2(double, double);
double cbrt(double);
double cos(double);
double erf(double);
double erfc(double);
double exp(double);
double expm1(double);
double fmod(double, double);
double remquo(double, double, int *);
double round(double);
double scalbn(double, int);
double sin(double);
double tanh(double);

#endif
