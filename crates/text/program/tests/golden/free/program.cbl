>>SOURCE FORMAT IS FREE
identification division.
program-id. tiny.
procedure division.
*> exec cics in a comment end-exec
    exec cics put container('ANSWER') channel('REPLY') char
        from('forty-two') flength(9)
    end-exec
    exec cics return end-exec.
