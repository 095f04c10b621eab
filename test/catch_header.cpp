// Does nothing. The target exists for its precompiled header, which test programs use.
int main() {}
