import { createHash, timingSafeEqual } from "node:crypto";
import { ControlError } from "../errors";
import type { Scope, TokenEntry } from "./token-file";

/** Who makes a request. */
export interface Caller {
  readonly id: string;
  readonly scopes: readonly Scope[];
}

export class Unauthenticated extends ControlError {
  readonly status = 401;
  readonly code = "unauthenticated";
}

export class Forbidden extends ControlError {
  readonly status = 403;
  readonly code = "forbidden";

  constructor(
    message: string,
    readonly scope: Scope,
  ) {
    super(message);
  }
}

/**
 * Finds whose token an `Authorization` header holds. Every entry is compared, each in constant time: how long it takes
 * tells nothing about the tokens.
 *
 * @returns undefined when there is none, or nobody's.
 */
export function identify(authorization: string | undefined, tokens: readonly TokenEntry[]): Caller | undefined {
  const [, token] = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? "") ?? [];
  if (token === undefined) {
    return undefined;
  }
  const hash = createHash("sha256").update(token).digest();
  let found: TokenEntry | undefined;
  for (const entry of tokens) {
    if (timingSafeEqual(hash, Buffer.from(entry.sha256, "hex"))) {
      found = entry;
    }
  }
  return found;
}

/** @throws Unauthenticated without a caller, Forbidden when the caller's token lacks the scope. */
export function authorize(caller: Caller | undefined, scope: Scope): void {
  if (caller === undefined) {
    throw new Unauthenticated('give a valid token as "Authorization: Bearer <token>"');
  }
  // Who may operate may do everything.
  if (caller.scopes.includes(scope) || caller.scopes.includes("operate")) {
    return;
  }
  throw new Forbidden(`the token ${caller.id} has not the scope "${scope}"`, scope);
}
