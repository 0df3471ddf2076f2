/** What the sync Job reads of the Hugging Face Hub (or a mirror that speaks its API). */
import { resumed } from "./resume.ts";
import { FinalError, RetryLater, secondsToWait, withRetries } from "./retry.ts";
import { wholeBody } from "./whole-body.ts";

export interface RepositoryFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Large files (LFS and Xet) carry their SHA-256. */
  readonly sha256?: string;
  /** Small files carry the id of their git blob. */
  readonly gitBlob: string;
  /** Of an object in a bucket, which has neither. */
  readonly etag?: EntityTag;
}

export interface EntityTag {
  readonly value: string;
  /** Bytes of each part that it is made of. @default unknown */
  readonly partBytes?: number;
}

/** Where the files of a model come from. */
export interface Repository {
  /** `organization/name`, `s3://bucket/prefix` or `oci://host/repository`. */
  readonly repository: string;
  /** Most files that are read at once, known once they are listed, and then in that order. @default any */
  readonly filesAtOnce?: number | undefined;
  /** Current commit of a branch or tag, so that all files come from one state. */
  commit(revision: string): Promise<string>;
  files(commit: string): Promise<RepositoryFile[]>;
  text(commit: string, path: string): Promise<string>;
  download(commit: string, file: RepositoryFile): AsyncIterable<Uint8Array>;
}

interface TreeEntry {
  readonly type: string;
  readonly path: string;
  readonly size: number;
  readonly oid: string;
  readonly lfs?: { readonly oid: string; readonly size: number };
}

/** Of an answer that is kept in memory: lists of files, an index of weights. */
const MOST_TEXT_BYTES = 64 * 2 ** 20;
/** The Hub lists a thousand files on each. */
const MOST_PAGES = 1000;

/** A GET request that follows redirects; `authorization` must not reach another server. */
export type Get = (url: string, headers: Readonly<Record<string, string>>) => Promise<Response>;

export class HuggingFaceRepository implements Repository {
  readonly repository: string;
  readonly endpoint: string;
  readonly token: string | undefined;
  private readonly request: Get;

  /**
   * @param token needed for gated and private repositories.
   * @throws FinalError for a token that would go over plain HTTP.
   * @param request sends requests. Default: fetch, which drops the token when a redirect leads to another host (the
   * Hub's content network)
   */
  constructor(
    repository: string,
    token?: string,
    endpoint = "https://huggingface.co",
    request: Get = (url, headers) => fetch(url, { headers }),
  ) {
    if (token && isReadableOnTheWay(endpoint)) {
      throw new FinalError(
        `${endpoint} has no TLS: the Hugging Face token would be readable on the way; use https://, or take the token away`,
      );
    }
    this.repository = repository;
    this.endpoint = endpoint;
    this.token = token;
    this.request = request;
  }

  async commit(revision: string): Promise<string> {
    const response = await this.get(
      `${this.endpoint}/api/models/${this.repository}/revision/${encodeURIComponent(revision)}`,
    );
    const { sha } = JSON.parse(await wholeText(response)) as { sha?: string };
    if (!sha) {
      throw new FinalError(`${this.repository}: revision "${revision}" names no commit`);
    }
    return sha;
  }

  async files(commit: string): Promise<RepositoryFile[]> {
    const files: RepositoryFile[] = [];
    let url: string | undefined = `${this.endpoint}/api/models/${this.repository}/tree/${commit}?recursive=true`;
    for (let pages = 0; url; pages++) {
      if (pages === MOST_PAGES) {
        throw new FinalError(`${this.repository}: the list of files has more than ${MOST_PAGES} pages`);
      }
      const response: Response = await this.get(url);
      for (const entry of JSON.parse(await wholeText(response)) as TreeEntry[]) {
        if (entry.type === "file") {
          files.push({
            path: entry.path,
            size: entry.lfs?.size ?? entry.size,
            sha256: entry.lfs?.oid,
            gitBlob: entry.oid,
          });
        }
      }
      url = this.nextPage(response);
    }
    return files;
  }

  /** @throws FinalError when it is on another server: the token is for this one. */
  private nextPage(response: Response): string | undefined {
    const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    if (link === undefined) {
      return undefined;
    }
    const next = new URL(link, response.url);
    if (next.origin !== new URL(this.endpoint).origin) {
      throw new FinalError(
        `${this.repository}: the list of files goes on at ${next.origin}, not at ${this.endpoint}: the token would go there`,
      );
    }
    return next.href;
  }

  async text(commit: string, path: string): Promise<string> {
    return wholeText(await this.get(this.fileUrl(commit, path)));
  }

  /**
   * The bytes of a file. A connection that breaks is taken up again where it stopped.
   *
   * @param fromByte what is there already. @default nothing
   */
  download(commit: string, { path, size }: RepositoryFile, fromByte = 0): AsyncGenerator<Uint8Array> {
    const { repository } = this;
    return resumed({ repository, path, size, fromByte }, (from) => this.get(this.fileUrl(commit, path), from));
  }

  private fileUrl(commit: string, path: string): string {
    return `${this.endpoint}/${this.repository}/resolve/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  private async get(url: string, fromByte = 0): Promise<Response> {
    const headers = {
      ...(this.token && { authorization: `Bearer ${this.token}` }),
      ...(fromByte > 0 && { range: `bytes=${fromByte}-` }),
    };
    return withRetries(url, async () => {
      const response = await this.request(url, headers);
      if (response.status === 401 || response.status === 403) {
        throw new FinalError(
          `${this.repository}: Hugging Face answers ${response.status} for ${url}. A gated or private repository needs ` +
            "its licence accepted on huggingface.co and a token in the config key huggingFaceToken",
        );
      }
      if (fromByte > 0 && response.status !== 206 && response.ok) {
        throw new Error(`${url}: the server ignored the range, cannot resume at byte ${fromByte}`);
      }
      if (!response.ok) {
        const message = `${url}: HTTP ${response.status}`;
        throw response.status >= 500 || response.status === 429
          ? new RetryLater(message, secondsToWait(response.headers))
          : new FinalError(message);
      }
      return response;
    });
  }
}

/** Whether what is sent to an address can be read between here and there. @throws TypeError for what is no address. */
function isReadableOnTheWay(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

async function wholeText(response: Response): Promise<string> {
  return (await wholeBody(response, response.url, MOST_TEXT_BYTES)).toString("utf8");
}
