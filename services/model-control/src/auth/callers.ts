import { createHash, timingSafeEqual } from "node:crypto";
import { ControlError } from "../errors";
import { spellingOf } from "../model-name";
import type { Scope, TokenEntry } from "./token-file";

/** Who makes a request. */
export interface Caller {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly tenant?: string;
  /** The models that it may have answer. @default all */
  readonly models?: readonly string[];
}

/** Whose the caller's answers are: all tokens of one tenant are one owner. */
export function ownerOf({ id, tenant }: Caller): string {
  return tenant === undefined ? `token:${id}` : `tenant:${tenant}`;
}

/** Whom engines are told that an owner's prompts are of: a tenant is the consumer that calls through the gateway under the same name. */
export function consumerOf(owner: string): string {
  return owner.replace(/^tenant:/, "");
}

/** Whether the caller's token allows it. Who may operate may do everything. */
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

/** The caller's token is for other models. */
export class ModelNotAllowed extends ControlError {
  readonly status = 403;
  readonly code = "model_not_allowed";
}

/** @param model in the spelling of `parseModelName`. @throws ModelNotAllowed for a caller who is kept to other models. */
export function authorizeModel({ id, models }: Caller, model: string): void {
  if (models !== undefined && !models.some((name) => name === model || spellingOf(name) === model)) {
    throw new ModelNotAllowed(`the token ${id} may not have ${model} answer; it may: ${models.join(", ") || "none"}`);
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

/** @throws Unauthenticated without a caller, Forbidden when the caller's token has none of the scopes. */
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
  throw new Forbidden(`the token ${caller.id} has not the scope "${anyOf[0]}"`, anyOf[0]);
}
