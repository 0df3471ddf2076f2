import { createSocket, type RemoteInfo } from "node:dgram";

/** Of a DNS message (RFC 1035, 4.1): header of 12 octets, then questions and answers. */
const HEADER = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
const NAME_ERROR = 3;
const NOT_IMPLEMENTED = 4;
/** Answer, recursion as desired, authoritative, recursion available. */
const FLAGS = 0x8480;
/** A pointer to the name in the first question. */
const SAME_NAME = 0xc000 | HEADER;
/** Answers are good for a second: what a test changes counts at once. */
const TTL_SECONDS = 1;
/** What fits into a message of 512 octets beside a name of any length (255): 16 octets each. */
const MOST_ADDRESSES = 14;

/** A name server over UDP for the names of one cluster: IPv4 addresses, and no other names. */
export class NameServer {
  /** Names that it was asked for, in their order. */
  readonly asked: string[] = [];
  private readonly names = new Map<string, readonly string[]>();
  private readonly socket = createSocket("udp4");

  private constructor() {
    this.socket.on("message", (message, sender) => this.answer(message, sender));
  }

  /** Listens on port 53, where resolvers look for one. */
  static async start(address: string): Promise<NameServer> {
    const server = new NameServer();
    await new Promise<void>((resolve, reject) => {
      server.socket.once("error", reject);
      server.socket.bind(53, address, resolve);
    });
    return server;
  }

  /** From now on a name has these IPv4 addresses; it has none with an empty list. */
  set(name: string, addresses: readonly string[]): void {
    if (addresses.length > MOST_ADDRESSES) {
      throw new Error(`${name}: a name has at most ${MOST_ADDRESSES} addresses here, not ${addresses.length}`);
    }
    this.names.set(name.toLowerCase(), addresses);
  }

  addresses(name: string): readonly string[] {
    return this.names.get(name.toLowerCase()) ?? [];
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  private answer(message: Buffer, { address, port }: RemoteInfo): void {
    const question = questionOf(message);
    if (question === undefined) {
      return;
    }
    this.asked.push(question.name);
    const known = this.names.get(question.name.toLowerCase());
    const found = question.type === TYPE_A ? (known ?? []) : [];
    const header = Buffer.alloc(HEADER);
    message.copy(header, 0, 0, 2);
    const isQuery = (message.readUInt16BE(2) & 0x7800) === 0;
    const code = isQuery ? (known === undefined ? NAME_ERROR : 0) : NOT_IMPLEMENTED;
    header.writeUInt16BE(FLAGS | (message.readUInt16BE(2) & 0x0100) | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found.length, 6);
    const answers = found.map(record);
    this.socket.send(Buffer.concat([header, message.subarray(HEADER, question.end), ...answers]), port, address);
  }
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** Where the question ends in its message. */
  readonly end: number;
}

/** The first question of a message; undefined for what is none. */
function questionOf(message: Buffer): Question | undefined {
  const labels: string[] = [];
  let at = HEADER;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63) {
      return undefined;
    }
    at += 1;
    if (length === 0) {
      break;
    }
    labels.push(message.toString("latin1", at, at + length));
    at += length;
  }
  return at + 4 > message.length ? undefined : { name: labels.join("."), type: message.readUInt16BE(at), end: at + 4 };
}

function record(address: string): Buffer {
  const buffer = Buffer.alloc(16);
  buffer.writeUInt16BE(SAME_NAME, 0);
  buffer.writeUInt16BE(TYPE_A, 2);
  buffer.writeUInt16BE(CLASS_IN, 4);
  buffer.writeUInt32BE(TTL_SECONDS, 6);
  buffer.writeUInt16BE(4, 10);
  for (const [index, part] of address.split(".").entries()) {
    buffer.writeUInt8(Number(part), 12 + index);
  }
  return buffer;
}
