import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { TestIssuer } from "../../e2e/gateway/token-issuer";

/** An account of the issuer. */
export interface Person {
  readonly sub: string;
  readonly email: string;
  readonly name: string;
}

interface Grant {
  readonly person: Person;
  readonly nonce: string | null;
  readonly challenge: string | null;
}

/** Name of the page at the issuer. It is a public client. */
export const CLIENT = "chat-page";

/** An OpenID Connect issuer with the authorization code flow and PKCE, as far as the chat page needs one. */
export class SignInIssuer {
  readonly keys = new TestIssuer("login.example.net");
  readonly server;
  private readonly grants = new Map<string, Grant>();
  private readonly people = new Map<string, Person>();

  constructor() {
    const files = this.keys.authority.issue([`DNS:${this.keys.hostname}`]);
    this.server = createServer({ key: files["tls.key"], cert: files["tls.crt"] }, this.listener);
  }

  /** Signs a person in, as its form would. Returns where the browser is sent. */
  authorize(location: string, person: Person): URL {
    const asked = new URL(location).searchParams;
    if (asked.get("client_id") !== CLIENT || asked.get("code_challenge_method") !== "S256") {
      throw new Error(`the page asks the issuer with ${asked}`);
    }
    const code = randomUUID();
    this.grants.set(code, { person, nonce: asked.get("nonce"), challenge: asked.get("code_challenge") });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return back;
  }

  private readonly listener: RequestListener = async (request, response) => {
    const path = new URL(request.url ?? "", this.keys.issuer).pathname;
    if (path.endsWith("/.well-known/openid-configuration")) {
      json(response, this.metadata());
    } else if (path === "/token") {
      this.token(new URLSearchParams(await text(request)), response);
    } else if (path === "/userinfo") {
      json(response, this.people.get(bearer(request)) ?? {}, this.people.has(bearer(request)) ? 200 : 401);
    } else {
      this.keys.server.emit("request", request, response);
    }
  };

  private token(form: URLSearchParams, response: ServerResponse): void {
    const grant = this.grants.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant === undefined || grant.challenge !== challenge) {
      json(response, { error: "invalid_grant" }, 400);
      return;
    }
    const access = randomUUID();
    this.people.set(access, grant.person);
    const claims = { aud: CLIENT, ...grant.person, ...(grant.nonce !== null && { nonce: grant.nonce }) };
    const tokens = { access_token: access, token_type: "Bearer", expires_in: 3600 };
    json(response, { ...tokens, id_token: this.keys.token(claims) });
  }

  private metadata(): object {
    const { issuer, hostname, jwksUri } = this.keys;
    return {
      issuer,
      jwks_uri: jwksUri,
      authorization_endpoint: `https://${hostname}/authorize`,
      token_endpoint: `https://${hostname}/token`,
      userinfo_endpoint: `https://${hostname}/userinfo`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }
}

function bearer({ headers }: IncomingMessage): string {
  return (headers.authorization ?? "").replace(/^Bearer /, "");
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
