// SPDX-License-Identifier: MIT
// While the interpreter exits, CPython before 3.14 ends every other thread that requests the GIL by
// unwinding its stack. Destructors that run then would need the GIL to release Python objects:
//
//     pthread_exit()          the thread requests the GIL, which it never gets
//     frames of CPython       in C: nothing to destroy
//     frames of this module   each calls the personality routine, which runs its destructors
//
// Such a thread sleeps instead until the process ends, as in CPython 3.14.
#ifdef __linux__
#include <chrono>
#include <thread>

#include <unwind.h>

extern "C" {

// The linker's --wrap defines these names: the wrapper that is called, and the original function.
_Unwind_Reason_Code __real___gxx_personality_v0(int, _Unwind_Action, _Unwind_Exception_Class,
                                                _Unwind_Exception*, _Unwind_Context*);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class thrown_by,
                                                _Unwind_Exception* thrown, _Unwind_Context* frame) {
    while ((actions & _UA_FORCE_UNWIND) != 0) std::this_thread::sleep_for(std::chrono::hours(1));
    return __real___gxx_personality_v0(version, actions, thrown_by, thrown, frame);
}
}
#endif
