//! PMI-1, the process-management interface of MPICH: lines of `name=value` words over an inherited
//! descriptor.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use crate::cluster::membership::Store;

/// Maximum length of an answer: a value and the words around it.
const MAX_LINE: u64 = 64 << 10;

/// The end of a process that a launcher has started.
pub(super) struct Client {
    input: BufReader<File>,
    output: File,
    /// The name of the job's key-value space.
    space: String,
    longest_value: usize,
    rank_of_keys: Option<u32>,
    is_kept: bool,
}

impl Client {
    /// Greets the launcher behind this descriptor; `is_kept` leaves the end to an MPI library in a child
    /// process.
    pub(super) fn open(descriptor: i32, is_kept: bool) -> Result<Client, String> {
        // SAFETY: asks for a flag of what may be no descriptor.
        if descriptor <= libc::STDERR_FILENO || unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            return Err(format!("PMI_FD is {descriptor}, which is no open descriptor"));
        }
        // A copy: the descriptor itself stays open for an MPI library of the place.
        // SAFETY: an open descriptor; the result is checked.
        let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 0) };
        if copy < 0 {
            return Err(format!("PMI_FD: {}", std::io::Error::last_os_error()));
        }
        // SAFETY: a new descriptor that nothing else owns.
        let output = File::from(unsafe { OwnedFd::from_raw_fd(copy) });
        let client =
            Client::greet(output, std::env::var("PMI_RANK").ok().and_then(|rank| rank.parse().ok()))?;
        Ok(Client { is_kept, ..client })
    }

    fn greet(output: File, rank: Option<u32>) -> Result<Client, String> {
        let input = output.try_clone().map_err(|error| format!("PMI: {error}"))?;
        let mut client = Client {
            input: BufReader::new(input),
            output,
            space: String::new(),
            longest_value: 0,
            rank_of_keys: rank,
            is_kept: false,
        };
        client.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")?;
        let maxima = client.ask("cmd=get_maxes", "maxes")?;
        client.longest_value = word(&maxima, "vallen_max").and_then(|it| it.parse().ok()).unwrap_or(256);
        let own = client.ask("cmd=get_my_kvsname", "my_kvsname")?;
        client.space = word(&own, "kvsname").ok_or("PMI: a key-value space without a name")?.to_owned();
        Ok(client)
    }

    /// Sends a request; the line of the answer.
    fn ask(&mut self, request: &str, answer: &str) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("PMI: {error}");
        self.output.write_all(format!("{request}\n").as_bytes()).map_err(failed)?;
        let mut line = String::new();
        (&mut self.input).take(MAX_LINE).read_line(&mut line).map_err(failed)?;
        let line = line.trim_end_matches('\n');
        if line.is_empty() {
            return Err("PMI: the launcher has ended the connection".to_owned());
        }
        let is_answer = word(line, "cmd") == Some(answer);
        if is_answer && word(line, "rc").is_none_or(|code| code == "0") {
            return Ok(line.to_owned());
        }
        let line: String = line.chars().filter(|it| !it.is_control()).take(200).collect();
        let request = request.split(' ').next().unwrap_or_default();
        Err(format!("PMI: the launcher answers `{line}` to `{request}`"))
    }

    fn key(rank: u32, key: &str) -> String {
        format!("{key}-{rank}")
    }
}

/// Speaks with a launcher that answers these bytes, as a process does. For fuzzing.
pub(in crate::cluster) fn speak(answers: &[u8]) {
    let Ok((client, mut launcher)) = UnixStream::pair() else { return };
    // Both directions fit into the sockets' buffers.
    let answers = &answers[..answers.len().min(MAX_LINE as usize)];
    if launcher.write_all(answers).and_then(|()| launcher.shutdown(Shutdown::Write)).is_err() {
        return;
    }
    let Ok(mut client) = Client::greet(File::from(OwnedFd::from(client)), Some(0)) else { return };
    let _ = client.put("host", "a b").and_then(|()| client.fence());
    let _ = client.get(1, "host");
    client.finish();
}

/// The value of a word of a line.
fn word<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// Stands for a blank, which values of PMI-1 do not hold. No text of a process has it.
const BLANK: &str = "|";

impl Store for Client {
    fn put(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = value.replace(' ', BLANK);
        if value.len() >= self.longest_value {
            return Err(format!("PMI: a text of {} bytes is too long for this launcher", value.len()));
        }
        let rank = self.rank_of_keys.ok_or("PMI: the process has no rank")?;
        let request = format!("cmd=put kvsname={} key={} value={value}", self.space, Client::key(rank, key));
        self.ask(&request, "put_result").map(drop)
    }

    fn fence(&mut self) -> Result<(), String> {
        self.ask("cmd=barrier_in", "barrier_out").map(drop)
    }

    fn get(&mut self, rank: u32, key: &str) -> Result<String, String> {
        let request = format!("cmd=get kvsname={} key={}", self.space, Client::key(rank, key));
        let line = self.ask(&request, "get_result")?;
        let value =
            word(&line, "value").ok_or_else(|| format!("PMI: process {rank} has not said its {key}"))?;
        Ok(value.replace(BLANK, " "))
    }

    /// The MPI library greets the launcher over the same descriptor, and says that it is done.
    fn finish(&mut self) {
        if !self.is_kept {
            // Whether the launcher says good-bye does not matter.
            let _ = self.ask("cmd=finalize", "finalize_ack");
        }
    }

    fn finish_after_place(&mut self) {
        if std::mem::take(&mut self.is_kept) {
            // If the library has done so the launcher has closed its end.
            self.finish();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launcher that answers requests with these lines, in order, and returns the requests.
    fn launcher(answers: &'static [&'static str]) -> (File, std::thread::JoinHandle<Vec<String>>) {
        let (client, server) = UnixStream::pair().expect("sockets");
        let thread = std::thread::spawn(move || {
            let mut requests = BufReader::new(server.try_clone().expect("a copy")).lines();
            let mut heard = Vec::new();
            for answer in answers {
                heard.extend(requests.next().map(|line| line.expect("text")));
                (&server).write_all(answer.as_bytes()).expect("it reads");
            }
            heard
        });
        (File::from(OwnedFd::from(client)), thread)
    }

    const GREETING: [&str; 3] = [
        "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n",
        "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=64\n",
        "cmd=my_kvsname kvsname=kvs_1\n",
    ];

    #[test]
    fn values_are_put_and_got_by_the_protocol() {
        const ANSWERS: &[&str] = &[
            GREETING[0],
            GREETING[1],
            GREETING[2],
            "cmd=put_result rc=0 msg=success\n",
            "cmd=barrier_out rc=0\n",
            "cmd=get_result rc=0 msg=success value=a|b\n",
            "cmd=finalize_ack rc=0\n",
        ];
        let (descriptor, heard) = launcher(ANSWERS);
        let mut client = Client::greet(descriptor, Some(2)).expect("a launcher");
        client.put("apg-host", "x y").expect("put");
        client.fence().expect("all are there");
        assert_eq!(client.get(1, "apg-host").as_deref(), Ok("a b"));
        assert!(client.put("apg-host", &"x".repeat(64)).expect_err("too long").contains("64 bytes"));
        client.finish();
        let heard = heard.join().expect("no panic");
        assert_eq!(heard[3], "cmd=put kvsname=kvs_1 key=apg-host-2 value=x|y");
        assert_eq!(heard[5], "cmd=get kvsname=kvs_1 key=apg-host-1");
    }

    #[test]
    fn refusals_and_silence_are_errors() {
        let (descriptor, _) = launcher(&["cmd=response_to_init rc=-1\n"]);
        let error = Client::greet(descriptor, Some(0)).err().expect("refused");
        assert!(error.contains("rc=-1"), "{error}");
        let (descriptor, _) = launcher(&[]);
        assert!(Client::greet(descriptor, Some(0)).is_err());
        assert!(Client::open(1 << 20, false).err().expect("no descriptor").contains("no open descriptor"));
    }
}
