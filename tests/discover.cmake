include(GoogleTest)

# discover_tests(PROGRAM [FILTER F] [NOT_IN_TSAN PATTERNS] [PREFIX P] [TIMEOUT SECONDS] [LABEL L]
#                [ENVIRONMENT NAME=VALUE...]): a test for each case of a program of GoogleTest. Under a sanitizer, where
# a process takes long to start, two tests that share the cases; there, cases that skip count as passed. The thread
# sanitizer leaves out the cases of NOT_IN_TSAN.
function(discover_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "FILTER;NOT_IN_TSAN;PREFIX;TIMEOUT;LABEL" "ENVIRONMENT")
  if(HEADWAY_SANITIZE)
    if(NOT given_FILTER)
      set(given_FILTER *)
    endif()
    if(given_NOT_IN_TSAN AND HEADWAY_SANITIZE MATCHES "thread")
      string(APPEND given_FILTER "-${given_NOT_IN_TSAN}")
    endif()
    foreach(shard 0 1)
      set(name ${given_PREFIX}${program}.${shard})
      add_test(NAME ${name} COMMAND ${program} --gtest_filter=${given_FILTER})
      set_tests_properties(${name} PROPERTIES LABELS "${given_LABEL}" TIMEOUT 1000
        ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${shard};${given_ENVIRONMENT}")
    endforeach()
    return()
  endif()
  set(properties)
  if(given_LABEL)
    list(APPEND properties LABELS ${given_LABEL})
  endif()
  if(given_TIMEOUT)
    list(APPEND properties TIMEOUT ${given_TIMEOUT})
  endif()
  set(list ${given_PREFIX}${program}_tests)
  if(properties)
    list(PREPEND properties PROPERTIES)
  endif()
  gtest_discover_tests(${program} TEST_FILTER "${given_FILTER}" TEST_PREFIX "${given_PREFIX}" TEST_LIST ${list}
                       DISCOVERY_TIMEOUT 60 ${properties})
  if(given_ENVIRONMENT)  # among the properties above, a list would be taken apart
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake
         CONTENT "set_tests_properties(\${${list}} PROPERTIES ENVIRONMENT \"${given_ENVIRONMENT}\")\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake)
  endif()
endfunction()
