import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Who logs in. */
export const USER = "ops";
const USER_ID = 61_001;

export interface MachineImage {
  /** Address of its name server. */
  readonly nameServer: string;
  /** PEM of an authority that it trusts, besides those of this machine. */
  readonly authority: string;
  /** What `USER` may log in with, and sudo asks for; without one it asks for none, and only the key logs in. */
  readonly password?: string | undefined;
  /** Opens the key of `USER`, which is encrypted then. */
  readonly passphrase?: string | undefined;
  /**
   * Files that it has, or has other than this machine: by path; those below a folder `bin` or `sbin` are programs. Below
   * /proc and /sys/class/block they are what its kernel tells; the whole of the latter is the image's.
   */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

export interface MachineKeys {
  /** The machine's public key, as OpenSSH writes it. */
  readonly hostKey: string;
  /** Of `USER`, as OpenSSH writes it. */
  readonly privateKey: string;
}

/** Writes what a machine has before anybody logs in: users, keys, an SSH server's settings, programs that play a part. */
export function writeImage(folder: string, image: MachineImage): MachineKeys {
  const write = (path: string, content: string, mode = 0o644): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    chmodSync(join(folder, path), mode);
  };
  for (const programs of ["bin", "sbin"]) {
    cpSync(join(__dirname, programs), join(folder, "usr", programs), { recursive: true });
  }
  for (const told of ["proc", "sys"]) {
    cpSync(join(__dirname, told), join(folder, told), { recursive: true });
  }
  const hostKey = generateKey(join(folder, "..", "host"));
  const userKey = generateKey(join(folder, "..", "user"), image.passphrase);
  write("/etc/ssh/ssh_host_test_key", hostKey.privateKey, 0o600);
  write("/etc/ssh/sshd_config", SSHD_CONFIG);
  write(
    "/etc/passwd",
    `${readFileSync("/etc/passwd", "utf8")}${USER}:x:${USER_ID}:${USER_ID}::/home/${USER}:/bin/bash\n`,
  );
  write("/etc/group", `${readFileSync("/etc/group", "utf8")}${USER}:x:${USER_ID}:\n`);
  const hash = image.password === undefined ? "*" : passwordHash(image.password);
  write("/etc/shadow", `${readFileSync("/etc/shadow", "utf8")}${USER}:${hash}:20000:0:99999:7:::\n`, 0o600);
  const asks = image.password === undefined ? "NOPASSWD: ALL" : "ALL";
  write("/etc/sudoers.d/ops", `Defaults logfile=/run/log/machine/sudo\n${USER} ALL=(ALL:ALL) ${asks}\n`, 0o440);
  write(`/home/${USER}/.ssh/authorized_keys`, userKey.publicKey, 0o600);
  execFileSync("chown", ["--recursive", `${USER_ID}:${USER_ID}`, join(folder, "home", USER)]);
  write("/etc/resolv.conf", `nameserver ${image.nameServer}\n`);
  write("/etc/hosts", "127.0.0.1 localhost workstation\n");
  const authorities = "/etc/ssl/certs/ca-certificates.crt";
  write(authorities, `${readFileSync(authorities, "utf8")}\n${image.authority}`);
  for (const [path, content] of Object.entries(image.files ?? {})) {
    write(path, content, /\/s?bin\//.test(path) ? 0o755 : 0o644);
  }
  return { hostKey: hostKey.publicKey.trim(), privateKey: userKey.privateKey };
}

const SSHD_CONFIG = `
Port 22
HostKey /etc/ssh/ssh_host_test_key
UsePAM yes
PasswordAuthentication yes
KbdInteractiveAuthentication yes
AcceptEnv LANG LC_*
ForceCommand /usr/bin/log-in
LogLevel VERBOSE
`;

function generateKey(file: string, passphrase = ""): { readonly privateKey: string; readonly publicKey: string } {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", file]);
  return { privateKey: readFileSync(file, "utf8"), publicKey: readFileSync(`${file}.pub`, "utf8") };
}

function passwordHash(password: string): string {
  return execFileSync("openssl", ["passwd", "-6", "-stdin"], { input: `${password}\n`, encoding: "utf8" }).trim();
}
