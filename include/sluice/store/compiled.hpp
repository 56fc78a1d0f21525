// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COMPILED_HPP
#define SLUICE_STORE_COMPILED_HPP

// The functions of column_store.hpp and select.hpp are inline, or compiled once in the library
// sluice::store, whose users see only their declarations:
//
//                           SLUICE_STORE_DEFINED   SLUICE_STORE_INLINE
//   header-only             1                      inline
//   a user of the library   0
//   the library             1                      nothing

#if defined(SLUICE_STORE_SOURCE)
#define SLUICE_STORE_DEFINED 1
#define SLUICE_STORE_INLINE
#elif defined(SLUICE_COMPILED_STORE)
#define SLUICE_STORE_DEFINED 0
#else
#define SLUICE_STORE_DEFINED 1
#define SLUICE_STORE_INLINE inline
#endif

#endif
