import { createSocket, type RemoteInfo } from "node:dgram";

/** DNS message (RFC 1035, 4.1): header of 12 octets, then questions and answers. */
const HEADER = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
const NAME_ERROR = 3;
const NOT_IMPLEMENTED = 4;
/** Response flags: recursion desired and available, authoritative. */
const FLAGS = 0x8480;
/** Pointer to the name in the first question. */
const SAME_NAME = 0xc000 | HEADER;
/** Short, so that changes apply at once. */
const TTL_SECONDS = 1;
/** Fits 512 octets with the longest name (255), at 16 octets per address. */
const MOST_ADDRESSES = 14;

/** UDP name server of one cluster: IPv4 addresses of its names only. */
export class NameServer {
  /** Resolved names, in order. */
  readonly asked: string[] = [];
  private readonly names = new Map<string, readonly string[]>();
  private readonly socket = createSocket("udp4");

  private constructor() {
    this.socket.on("message", (message, sender) => this.answer(message, sender));
  }

  /** Listens on port 53, which resolvers require. */
  static async start(address: string): Promise<NameServer> {
    const server = new NameServer();
    await new Promise<void>((resolve, reject) => {
      server.socket.once("error", reject);
      server.socket.bind(53, address, resolve);
    });
    return server;
  }

  /** Sets a name's IPv4 addresses; an empty list removes it. */
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
  /** End of the question in the message. */
  readonly end: number;
}

/** First question of a message; undefined if invalid. */
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
