import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type Server } from "node:https";
import { Authority } from "../../../rehearsal/cluster/authority";

/** Claims of a token; `undefined` takes a default away. */
export type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** An OpenID Connect issuer as far as gateways see one: its keys over TLS, and tokens signed with them. */
export class TestIssuer {
  readonly issuer: string;
  readonly authority = new Authority();
  readonly server: Server;
  /** How often its keys were asked for. */
  asked = 0;
  private key = newKey();

  constructor(readonly hostname: string) {
    this.issuer = `https://${hostname}/realms/test`;
    const files = this.authority.issue([`DNS:${hostname}`]);
    const tls = { key: files["tls.key"], cert: files["tls.crt"] };
    this.server = createServer(tls, (_request, response) => {
      this.asked += 1;
      const { id, publicKey } = this.key;
      const jwk = { ...publicKey.export({ format: "jwk" }), kid: id, alg: "RS256", use: "sig" };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [jwk] }));
    });
  }

  get jwksUri(): string {
    return `https://${this.hostname}/keys`;
  }

  /** A valid token for an hour, but for what is changed. */
  token(changes: Claims = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.issuer, aud: "inference", sub: "somebody", iat: now, exp: now + 3600, ...changes };
    return signed({ alg: "RS256", kid: this.key.id, typ: "JWT" }, claims, this.key.privateKey);
  }

  /** A token that somebody else signed under the name of this issuer's key. */
  forged(changes: Claims = {}): string {
    const [head, claims] = this.token(changes).split(".");
    const input = `${head}.${claims}`;
    return `${input}.${sign("sha256", Buffer.from(input), newKey().privateKey).toString("base64url")}`;
  }

  /** A token without a signature, as `alg: none` has it. */
  unsigned(changes: Claims = {}): string {
    const claims = this.token(changes).split(".")[1];
    return `${encoded({ alg: "none", typ: "JWT" })}.${claims}.`;
  }

  /** Signs with another key from now on, and publishes that one alone. */
  rotate(): void {
    this.key = newKey();
  }

  discard(): void {
    this.authority.discard();
  }
}

function newKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { id: randomUUID(), privateKey, publicKey };
}

function signed(head: object, claims: object, key: KeyObject): string {
  const input = `${encoded(head)}.${encoded(claims)}`;
  return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
