import Glibc

/// Whether the tests, and the programs that they start, run under the address or the thread sanitizer. These keep freed memory
/// and make everything several times slower.
public let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
