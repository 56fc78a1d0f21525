// SPDX-License-Identifier: MIT
// While the interpreter exits, CPython before 3.14 ends each other thread that wants the GIL by
// unwinding its stack. Destructors there would need the GIL for the objects that they let go:
//
//     pthread_exit()          the thread wants the GIL, which it doesn't get any more
//     frames of CPython       in C: nothing to destroy
//     frames of this module   each asks the personality routine, which begins its destructors
//
// Such a thread sleeps instead, until the process is gone, as CPython itself has it from 3.14 on.
#ifdef __linux__
#include <chrono>
#include <thread>

#include <unwind.h>

extern "C" {

// The linker's --wrap gives the two their names: what the compiler calls, and what it means.
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
