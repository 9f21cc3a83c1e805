// exp_data.h includes this file; all that it takes from it is "hidden".
#define hidden
