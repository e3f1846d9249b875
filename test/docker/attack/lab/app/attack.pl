# A service that tries every way out of its container when it is asked to, and says of each what it got.
# In Perl, which makes any system call, reads and opens anything, and is in Debian's smallest image.
# Nothing here does harm where it succeeds: what could is opened and not written, or called with arguments that it must refuse.
use strict;
use warnings;
use Config;
use Errno;
use Fcntl;
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Socket qw(:all);

my %NR = $Config{archname} =~ /^aarch64/
  ? (mount => 40, unshare => 97, setns => 268, prctl => 167, bpf => 280, perf => 241, add_key => 217, init_module => 105,
     kexec => 104, by_handle => 265, reboot => 142, swapon => 224, mknodat => 33, setuid => 146, ptrace => 117)
  : (mount => 165, unshare => 272, setns => 308, prctl => 157, bpf => 321, perf => 298, add_key => 248, init_module => 175,
     kexec => 246, by_handle => 304, reboot => 169, swapon => 167, mknodat => 259, setuid => 105, ptrace => 101);
my $WAIT = 2;

sub code { my ($name) = grep { $!{$_} } sort keys %!; $name // "error $!" }

# [got, seen]: a call that is let through but for its arguments was let through.
sub called {
  my ($result) = @_;
  return [1, 'done'] if $result >= 0;
  my $code = code();
  return [$code =~ /^(?:EPERM|EACCES|ENOSYS)$/ ? 0 : 1, $code];
}

sub opened {
  my ($path, $flags) = @_;
  return sysopen(my $file, $path, $flags) ? [1, 'opened'] : [0, code()];
}

sub first_opened {
  my ($flags, @paths) = @_;
  my $last = [0, 'there is none'];
  for (@paths) { $last = opened($_, $flags); return $last if $last->[0] }
  return $last;
}

sub tcp {
  my ($host, $port) = @_;
  my $socket = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Timeout => $WAIT);
  return $socket ? [1, 'connected'] : $!{ECONNREFUSED} ? [1, 'ECONNREFUSED'] : [0, code()];
}

sub answer {
  my ($socket) = @_;
  return [0, 'no answer'] unless IO::Select->new($socket)->can_read($WAIT);
  return defined recv($socket, my $text, 2000, 0) ? [1, 'answered'] : [$!{ECONNREFUSED} ? 1 : 0, code()];
}

sub udp {
  my ($host, $port, $text) = @_;
  socket(my $socket, PF_INET, SOCK_DGRAM, 0) or return [0, code()];
  send($socket, $text, 0, pack_sockaddr_in($port, inet_aton($host))) or return [0, code()];
  return answer($socket);
}

sub ping {
  my ($host) = @_;
  socket(my $socket, PF_INET, SOCK_DGRAM, 1) or return [0, code()];
  my $body = pack('C2 n3', 8, 0, 0, 1, 1);
  send($socket, $body, 0, pack_sockaddr_in(0, inet_aton($host))) or return [0, code()];
  return answer($socket);
}

sub six {
  my ($host, $port, $text) = @_;
  socket(my $socket, PF_INET6, SOCK_DGRAM, 0) or return [0, code()];
  my $link = 0;
  if (open(my $file, '<', '/sys/class/net/eth0/ifindex')) { $link = 0 + <$file> }
  send($socket, $text, 0, pack_sockaddr_in6($port, inet_pton(AF_INET6, $host), $link)) or return [0, code()];
  return answer($socket);
}

sub own_address {
  socket(my $socket, PF_INET, SOCK_DGRAM, 0) or return undef;
  my $request = pack('a16 x24', 'eth0');
  ioctl($socket, 0x8915, $request) or return undef;
  return join '.', unpack('x20 C4', $request);
}

# Whoever answers to an address beside the own one; the gate and nobody else should.
sub neighbours {
  my ($gate) = @_;
  my $own = own_address() // return [0, 'has no address'];
  my ($net) = $own =~ /^(.*)\./;
  socket(my $socket, PF_INET, SOCK_DGRAM, 0) or return [0, code()];
  for (1 .. 40) { send($socket, 'x', 0, pack_sockaddr_in(9, inet_aton("$net.$_"))) }
  sleep $WAIT;
  open(my $table, '<', '/proc/net/arp') or return [0, code()];
  my @found = map { /^(\S+)\s+\S+\s+0x2/ && $1 ne $gate ? $1 : () } <$table>;
  return @found ? [1, 'found others'] : [0, 'nobody but the gate'];
}

sub gate_ports {
  my ($gate) = @_;
  return [0, 'there is no gate'] if $gate eq '';
  my @open;
  for my $port (1 .. 8192) {
    socket(my $socket, PF_INET, SOCK_STREAM, 0) or return [0, code()];
    push @open, $port if connect($socket, pack_sockaddr_in($port, inet_aton($gate)));
    last unless $!{ECONNREFUSED} || @open && $open[-1] == $port;
  }
  return [(grep { $_ != 8080 } @open) ? 1 : 0, 'open: ' . (join(' ', @open) || 'none')];
}

# Whether the gate connects to what a caller wants: the greeting of the listener would come back.
sub proxied {
  my ($gate, $request) = @_;
  return [0, 'there is no gate'] if $gate eq '';
  my $socket = IO::Socket::INET->new(PeerAddr => $gate, PeerPort => 8080, Timeout => $WAIT) or return [0, code()];
  print $socket "$request\r\nHost: x\r\n\r\n";
  return [0, 'no answer'] unless IO::Select->new($socket)->can_read($WAIT);
  sysread($socket, my $text, 2000);
  return $text =~ /^here/ || $text =~ /\nhere/ ? [1, 'reached the outside'] : $text =~ /X-Attack/ ? [0, 'this service answered'] : [0, 'ended'];
}

# A source route names the gate as the next hop, which takes no right at all.
sub source_routed {
  my ($gate, $host, $port) = @_;
  return [0, 'there is no gate'] if $gate eq '';
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or return [0, code()];
  setsockopt($socket, 0, 4, pack('C4 a4', 1, 131, 7, 4, inet_aton($gate))) or return [0, code()];
  local $SIG{ALRM} = sub { die };
  my $connected = eval { alarm $WAIT; my $done = connect($socket, pack_sockaddr_in($port, inet_aton($host))); alarm 0; $done };
  return $connected ? [1, 'connected'] : [0, defined $connected ? code() : 'no answer'];
}

sub add_route {
  my ($gate) = @_;
  socket(my $socket, PF_INET, SOCK_DGRAM, 0) or return [0, code()];
  my $address = sub { pack('S n a4 x8', AF_INET, 0, inet_aton($_[0])) };
  my $route = pack('L! a16 a16 a16 S x6 x64', 0, $address->('198.51.100.0'), $address->($gate || '127.0.0.1'), $address->('255.255.255.0'), 3);
  my $added = ioctl($socket, 0x890B, $route);
  return $added ? [1, 'done'] : [$!{EPERM} ? 0 : 1, code()];
}

sub name { my @found = gethostbyname($_[0]); return @found ? [1, 'resolved'] : [0, 'not resolved'] }

sub abstract_sockets {
  open(my $file, '<', '/proc/net/unix') or return [0, code()];
  my @names = grep { /\s\@/ } <$file>;
  return @names ? [1, 'found some'] : [0, 'none'];
}

sub engine_socket {
  for my $path (qw(/var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock)) {
    next unless -e $path;
    socket(my $socket, PF_UNIX, SOCK_STREAM, 0);
    return [1, 'connected'] if connect($socket, pack_sockaddr_un($path));
  }
  return [0, 'there is none'];
}

sub processes {
  opendir(my $folder, '/proc') or return [0, code()];
  my @lines;
  for my $process (grep { /^\d+$/ } readdir $folder) {
    open(my $file, '<', "/proc/$process/cmdline") or next;
    push @lines, scalar <$file>;
  }
  # What has ended and was not yet waited for has no words.
  my @strangers = grep { defined && $_ ne '' && !m{attack\.pl|^/usr/bin/perl|docker-init} } @lines;
  return @strangers ? [1, 'sees others'] : [0, 'its own alone'];
}

sub new_rights {
  open(my $file, '<', '/proc/self/status') or return [0, code()];
  my %field = map { /^(\w+):\s+(.*)/ ? ($1 => $2) : () } <$file>;
  my @held = grep { $field{$_} !~ /^0+$/ } qw(CapInh CapPrm CapEff CapBnd CapAmb);
  push @held, 'new rights' if $field{NoNewPrivs} ne '1';
  push @held, 'every system call' if $field{Seccomp} ne '2';
  return @held ? [1, "has @held"] : [0, 'none'];
}

sub run_from_memory {
  my $path = '/tmp/run';
  open(my $file, '>', $path) or return [0, code()];
  print $file "#!/usr/bin/perl\nexit 0\n";
  close $file;
  chmod 0755, $path;
  my $code = system { $path } $path;
  my $error = code();
  unlink $path;
  return $code == 0 ? [1, 'ran'] : [0, $error];
}

# Far above what a lab allows, and far below what a machine has.
sub forks {
  my @children;
  my $seen = [1, 'three hundred'];
  for (1 .. 300) {
    my $child = fork();
    if (!defined $child) { $seen = [0, code()]; last }
    if ($child == 0) { sleep 30; POSIX::_exit(0) }
    push @children, $child;
  }
  kill 'KILL', @children;
  waitpid $_, 0 for @children;
  return $seen;
}

sub memory {
  my $child = fork() // return [0, code()];
  if ($child == 0) { my @all; push @all, 'x' x (1 << 20) for 1 .. 400; POSIX::_exit(0) }
  waitpid $child, 0;
  return $? == 0 ? [1, '400 MB'] : [0, 'killed by signal ' . ($? & 127)];
}

sub fill {
  open(my $file, '>', '/tmp/full') or return [0, code()];
  my $seen = [1, '64 MB'];
  for (1 .. 64) { defined syswrite($file, 'x' x (1 << 20)) or do { $seen = [0, code()]; last } }
  unlink '/tmp/full';
  return $seen;
}

sub tries {
  my (%o) = @_;
  my ($gate, $token) = ($o{gate}, $o{token});
  my @targets = map { [split /:/, $_] } split /,/, $o{targets};
  my ($first) = @targets;
  my @network = (
    (map { my ($host, $port) = @$_; (["tcp $host" => sub { tcp($host, $port) }], ["udp $host" => sub { udp($host, $port, "$token udp $host\n") }], ["ping $host" => sub { ping($host) }]) } @targets),
    ['name' => sub { name($o{name}) }],
    ['ipv6, every machine of the link' => sub { six('ff02::1', $first->[1], "$token ff02::1\n") }],
    ['raw socket' => sub { socket(my $s, PF_INET, SOCK_RAW, 1) ? [1, 'made'] : [0, code()] }],
    ['packet socket' => sub { socket(my $s, 17, SOCK_RAW, 0) ? [1, 'made'] : [0, code()] }],
    ['route through the gate' => sub { add_route($gate) }],
    ['source route through the gate' => sub { source_routed($gate, @$first) }],
    ['gate as a proxy: CONNECT' => sub { proxied($gate, "CONNECT $first->[0]:$first->[1] HTTP/1.1") }],
    ['gate as a proxy: GET' => sub { proxied($gate, "GET http://$first->[0]:$first->[1]/ HTTP/1.1") }],
    ['other ports of the gate' => sub { gate_ports($gate) }],
    ['neighbours' => sub { neighbours($gate) }],
    ['abstract sockets of others' => \&abstract_sockets],
  );
  my @machine = (
    ['engine socket' => \&engine_socket],
    ['processes of others' => \&processes],
    ['rights' => \&new_rights],
    ['become root' => sub { called(syscall($NR{setuid}, 0)) }],
    ['ambient right' => sub { called(syscall($NR{prctl}, 47, 2, 13, 0, 0)) }],
    ['mount' => sub { called(syscall($NR{mount}, my $a = 'x', my $b = '/proc/self', my $c = 'tmpfs', 0, 0)) }],
    ['user namespace' => sub { called(syscall($NR{unshare}, 0x10000000)) }],
    ['mount namespace' => sub { called(syscall($NR{unshare}, 0x00020000)) }],
    ['enter a namespace' => sub { called(syscall($NR{setns}, 0, 0)) }],
    ['device file' => sub { called(syscall($NR{mknodat}, -100, my $p = '/dev/shm/attack-disk', 0060600, 0x700)) }],
    ['load a module' => sub { called(syscall($NR{init_module}, 0, 0, my $p = '')) }],
    ['load a kernel' => sub { called(syscall($NR{kexec}, 0, 99, 0, 0)) }],
    ['restart the machine' => sub { called(syscall($NR{reboot}, 0, 0, 0, 0)) }],
    ['swap' => sub { called(syscall($NR{swapon}, my $p = '/nowhere', 0)) }],
    ['bpf' => sub { called(syscall($NR{bpf}, 9999, 0, 0)) }],
    ['perf events' => sub { called(syscall($NR{perf}, 0, 0, -1, -1, 0)) }],
    ['kernel keys' => sub { called(syscall($NR{add_key}, 0, 0, 0, 0, 0)) }],
    ['file by handle' => sub { called(syscall($NR{by_handle}, -100, 0, 0)) }],
    ['change of root' => sub { chroot('/') ? [1, 'done'] : [0, code()] }],
    ['write to the root' => sub { my $seen = opened('/attack-was-here', O_WRONLY | O_CREAT); unlink '/attack-was-here'; $seen }],
    ['sysrq' => sub { opened('/proc/sysrq-trigger', O_WRONLY) }],
    ['core pattern' => sub { opened('/proc/sys/kernel/core_pattern', O_WRONLY) }],
    ['release agent' => sub { first_opened(O_WRONLY, glob('/sys/fs/cgroup/*/release_agent'), '/sys/fs/cgroup/cgroup.procs') }],
    ['memory of the kernel' => sub { first_opened(O_RDONLY, '/dev/mem', '/proc/kcore', '/dev/kmsg') }],
    ['run what it wrote' => \&run_from_memory],
    ['fill its memory disk' => \&fill],
  );
  my @last = (['fork without end' => \&forks], ['memory without end' => \&memory]);
  my @lines = together(@network, @machine);
  push @lines, together($_) for @last;
  return join '', @lines;
}

# Each in a process of its own, so that what one changes or waits for is nothing to the others.
sub together {
  my @running = map {
    my ($name, $try) = @$_;
    pipe(my $from, my $to) or die;
    my $child = fork() // die "fork: $!";
    if ($child == 0) {
      local $SIG{CHLD} = 'DEFAULT';
      my ($got, $seen) = @{ $try->() };
      syswrite $to, ($got ? 'got' : 'held') . "\t$name\t$seen\n";
      POSIX::_exit(0);
    }
    close $to;
    [$name, $from, $child];
  } @_;
  return map {
    my ($name, $from, $child) = @$_;
    my $line = IO::Select->new($from)->can_read(40) ? <$from> : undef;
    kill 'KILL', $child;
    $line // "broken\t$name\tno result\n";
  } @running;
}

sub serve {
  my ($socket) = @_;
  my $line = <$socket> // '';
  while (defined(my $header = <$socket>)) { last if $header =~ /^\r?\n$/ }
  my %o = (targets => '', gate => '', token => '', name => '');
  if ($line =~ m{^GET /attack\?(\S*)}) { my $query = $1; %o = (%o, $query =~ /(\w+)=([^&]*)/g) }
  my $body = $line =~ m{^GET /attack} ? tries(%o) : "ready\n";
  print $socket "HTTP/1.1 200 OK\r\nX-Attack: 1\r\nConnection: close\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
}

my ($port, $address) = @ARGV;
my $server = IO::Socket::INET->new(LocalAddr => $address // '0.0.0.0', LocalPort => $port // 8080, Listen => 128, ReuseAddr => 1) or die "listen: $!";
$SIG{CHLD} = 'IGNORE';
$SIG{TERM} = sub { POSIX::_exit(0) };
while (1) {
  my $socket = $server->accept or next;
  my $child = fork();
  if (defined $child && $child == 0) { $SIG{CHLD} = 'DEFAULT'; serve($socket); close $socket; POSIX::_exit(0) }
  close $socket;
}
