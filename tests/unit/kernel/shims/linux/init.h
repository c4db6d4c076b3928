/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_INIT_H
#define SHIM_LINUX_INIT_H

/* What the command line of the kernel would call; tests find it as shim_param_FUNCTION. */
struct shim_param {
	const char	*name;
	int		(*set)(char *value);
};

#define early_param(word, function)	\
	extern const struct shim_param shim_param_##function;	\
	const struct shim_param shim_param_##function = { word, function }

#endif
