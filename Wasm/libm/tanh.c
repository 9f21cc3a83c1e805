/* origin: FreeBSD /usr/src/lib/msun/src/s_tanh.c */
/*
 * ====================================================
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 *
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this
 * software is freely granted, provided that this notice
 * is preserved.
 * ====================================================
 */
/* Not musl's, which takes another way: this one has glibc's bits but for one value in a thousand. */

#include "libm.h"

double tanh(double x)
{
	double t, z;
	int32_t jx, ix;

	GET_HIGH_WORD(jx, x);
	ix = jx & 0x7fffffff;

	/* x is INF or NaN */
	if (ix >= 0x7ff00000)
		return jx >= 0 ? 1.0/x + 1.0 : 1.0/x - 1.0;

	if (ix < 0x40360000) {  /* |x| < 22 */
		if (ix < 0x3e300000)  /* |x| < 2**-28 */
			return x;
		if (ix >= 0x3ff00000) {  /* |x| >= 1 */
			t = expm1(2.0*fabs(x));
			z = 1.0 - 2.0/(t + 2.0);
		} else {
			t = expm1(-2.0*fabs(x));
			z = -t/(t + 2.0);
		}
	} else  /* |x| >= 22 */
		z = 1.0;
	return jx >= 0 ? z : -z;
}
