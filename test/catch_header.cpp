// Does nothing: the target is there for its precompiled header, which test programs use.
int main() {}
