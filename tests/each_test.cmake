# SPDX-License-Identifier: MIT
# The loop of who changes a file: a target for each test file, which builds it as a program of its own
# and runs it. It is named like the program: ninja -C build/dev t/store/select

function(sluice_test_files) # LIBRARY FILES...
    list(POP_FRONT ARGN library)
    foreach(file IN LISTS ARGN)
        cmake_path(REMOVE_EXTENSION file LAST_ONLY OUTPUT_VARIABLE path)
        cmake_path(GET path PARENT_PATH folder)
        cmake_path(GET path FILENAME name)
        string(REPLACE / . target t/${path})
        add_executable(${target} EXCLUDE_FROM_ALL ${file} $<TARGET_OBJECTS:sluice_test_main>)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                                      ${PROJECT_BINARY_DIR}/t/${folder})
        target_link_libraries(${target} PRIVATE ${library} doctest::doctest sluice_dev)
        add_custom_command(TARGET ${target} POST_BUILD COMMAND ${target} VERBATIM)
    endforeach()
endfunction()

sluice_test_files(sluice::sluice ${primitive_tests} ${primitive_thread_tests})
sluice_test_files(sluice::api ${api_tests} ${api_thread_tests})
sluice_test_files(sluice::service reference/service/compiled.cpp)
target_link_libraries(t.fuzz.corpus PRIVATE sluice_wasm_calls)
if(TARGET sluice_server)
    sluice_test_files(sluice_server ${server_tests})
endif()
