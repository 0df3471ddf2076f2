import { createHash, timingSafeEqual } from "node:crypto";
import { ControlError } from "../errors";
import { spellingOf } from "../model-name";
import type { Scope, TokenEntry } from "./token-file";

export interface Caller {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly tenant?: string;
  /** Models it may run inference on. @default all */
  readonly models?: readonly string[];
}

/** Owner of the caller's answers: tokens of one tenant share an owner. */
export function ownerOf({ id, tenant }: Caller): string {
  return tenant === undefined ? `token:${id}` : `tenant:${tenant}`;
}

/** Consumer name sent to engines. A tenant has the same name at the gateway. */
export function consumerOf(owner: string): string {
  return owner.replace(/^tenant:/, "");
}

/** Whether the token has the scope; `operate` includes every other scope. */
export function may({ scopes }: Caller, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes("operate");
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

export class ModelNotAllowed extends ControlError {
  readonly status = 403;
  readonly code = "model_not_allowed";
}

/**
 * @param model spelled as by `parseModelName`.
 * @throws ModelNotAllowed
 */
export function authorizeModel({ id, models }: Caller, model: string): void {
  if (models !== undefined && !models.some((name) => name === model || spellingOf(name) === model)) {
    throw new ModelNotAllowed(`the token ${id} may not have ${model} answer; it may: ${models.join(", ") || "none"}`);
  }
}

/**
 * Token of an `Authorization` header. Compares all entries in constant time, so timing reveals
 * nothing.
 *
 * @returns undefined without a valid token.
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

/** @throws Unauthenticated without a caller, Forbidden when the token has none of the scopes. */
export function authorize(
  caller: Caller | undefined,
  ...anyOf: readonly [Scope, ...Scope[]]
): asserts caller is Caller {
  if (caller === undefined) {
    throw new Unauthenticated('give a valid token as "Authorization: Bearer <token>"');
  }
  if (anyOf.some((scope) => may(caller, scope))) {
    return;
  }
  throw new Forbidden(`the token ${caller.id} lacks the scope "${anyOf[0]}"`, anyOf[0]);
}
