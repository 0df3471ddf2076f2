/** Requests commits of revisions and files from a Hugging Face hub. */
import { COMMIT } from "../../engines/sources";
import type { Ask } from "../../stacks/checkpoint/remote";
import { Unreadable } from "../../stacks/config/remote-file";
import { lineOf } from "../io";

/** Address and credentials. */
export interface Hub {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly token?: string;
}

/** No commit; the message has reason and fix. */
export class HubError extends Error {}

/** Concurrent repositories. */
export const HUB_CONCURRENCY = 4;

const TIMEOUT_MS = 20_000;

/**
 * HF_ENDPOINT, with HF_TOKEN if set.
 *
 * @param declared `storage.hub.url` of an environment, used by its Jobs. @default huggingface.co
 * @throws HubError for an invalid address, or one that would expose the token on the network.
 */
export function hubOf(env: NodeJS.ProcessEnv, declared = "https://huggingface.co"): Hub {
  const text = env.HF_ENDPOINT || declared;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol) || url.username || url.password) {
    throw new HubError(
      "HF_ENDPOINT must be an http:// or https:// address without a password, such as https://hf.example.com",
    );
  }
  const token = env.HF_TOKEN?.trim();
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (token && url.protocol === "http:" && !isLocal) {
    throw new HubError(
      `${url.origin} has no TLS: HF_TOKEN would be readable on the way; use https://, or unset HF_TOKEN`,
    );
  }
  return { endpoint: url.href.replace(/\/+$/, ""), ...(token && { token }) };
}

/**
 * Full commit.
 *
 * @param repository `organization/name`
 * @throws HubError
 */
export async function commitOf(hub: Hub, repository: string, revision: string): Promise<string> {
  const { endpoint, token } = hub;
  const path = `api/models/${repository}/revision/${encodeURIComponent(revision)}`;
  const { status, body } = await askHub(hub, path, { accept: "application/json" }, (response) => response.json());
  if (body === undefined) {
    throw new HubError(refusal(status, repository, revision, token !== undefined));
  }
  const sha = typeof body === "object" && body !== null && "sha" in body ? body.sha : undefined;
  if (typeof sha !== "string" || !COMMIT.test(sha)) {
    throw new HubError(
      `${endpoint} answers without a commit for ${repository}: is it a Hugging Face hub? HF_ENDPOINT names another`,
    );
  }
  return sha;
}

/**
 * Files at a commit. Large ones redirect to another server, without the token.
 * @throws HubError
 */
export function filesOf(hub: Hub, repository: string, commit: string): Ask {
  return async (name, headers, use) => {
    const { status, body } = await askHub(hub, `${repository}/resolve/${commit}/${name}`, headers, use);
    if (body === undefined && status !== 404) {
      throw new HubError(refusal(status, repository, commit, hub.token !== undefined));
    }
    return body;
  };
}

/** `use` converts the hub's answer; undefined where it refuses. */
async function askHub<T>(
  { endpoint, token }: Hub,
  path: string,
  headers: Readonly<Record<string, string>>,
  use: (response: Response) => Promise<T>,
): Promise<{ readonly status: number; readonly body: T | undefined }> {
  try {
    const response = await fetch(`${endpoint}/${path}`, {
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (endpoint.startsWith("https://") && response.url && !response.url.startsWith("https://")) {
      await response.body?.cancel();
      throw new HubError(
        `${endpoint}/${path} is redirected to an address without TLS: name another hub in HF_ENDPOINT`,
      );
    }
    if (response.ok) {
      return { status: response.status, body: await use(response) };
    }
    await response.body?.cancel();
    return { status: response.status, body: undefined };
  } catch (error) {
    if (error instanceof HubError) {
      throw error;
    }
    if (error instanceof Unreadable) {
      throw new HubError(`${endpoint}/${path}: ${error.message}; ${error.fix}`);
    }
    throw new HubError(
      `${endpoint} gives no answer (${reasonOf(error)}): check the network, or name a hub that can be reached in HF_ENDPOINT`,
    );
  }
}

function refusal(status: number, repository: string, revision: string, asSomebody: boolean): string {
  switch (status) {
    // The hub does not distinguish private from missing repositories.
    case 401:
    case 403:
      return asSomebody
        ? `the hub denies ${repository} to the owner of HF_TOKEN: correct the name, or ask for access on its page`
        : `the hub denies ${repository}: correct the name, or set HF_TOKEN to a token that may read it`;
    case 404:
      return `the hub knows no ${repository} with the revision ${revision}: correct the name`;
    case 429:
      return "the hub answers 429, too many requests: try again in some minutes, or set HF_TOKEN";
    default:
      return `the hub answers ${status} for ${repository}: try again later`;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `none within ${TIMEOUT_MS / 1000} s`;
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && "code" in cause) {
    return String(cause.code);
  }
  return cause instanceof SyntaxError ? "no JSON" : lineOf(cause);
}
