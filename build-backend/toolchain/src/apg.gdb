# The collector stops threads by this signal.
handle SIGPWR nostop noprint pass
# The program is loaded after the start; its functions are known then.
set breakpoint pending on
