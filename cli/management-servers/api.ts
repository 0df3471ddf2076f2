/** Questions to the API of a management server: Rancher, Portainer. */
import type { z } from "zod";
import { parseJson } from "../../names/json-text";
import { type CommandIo, EXIT } from "../io";
import { type HttpClient, NoAnswer } from "../smoke/http";

/** The server refused, or answered what the command does not know. Its message names the route or the setting. */
export class ServerRefused extends Error {}

export interface ServerApiOptions {
  /** What the server is. */
  readonly product: string;
  /** Setting with its URL. */
  readonly setting: string;
  /** What its token must allow. */
  readonly token: string;
}

export class ServerApi {
  constructor(
    private readonly client: HttpClient,
    readonly signal: AbortSignal,
    private readonly options: ServerApiOptions,
  ) {}

  /**
   * @param body sent as JSON, FormData as a form.
   * @throws ServerRefused, NoAnswer
   */
  async ask<T extends z.ZodType>(method: string, path: string, answer: T, body?: object): Promise<z.output<T>> {
    const { product, setting, token } = this.options;
    const { status, text } = await this.client.request(method, path, this.signal, body);
    const route = `${method} ${this.client.base}${path.split("?")[0]}`;
    if (status === 401 || status === 403) {
      throw new ServerRefused(`${route} answered ${status}: ${token} is missing, expired, or may not do this`);
    }
    if (status < 200 || status > 299) {
      throw new ServerRefused(`${route} answered ${status}`);
    }
    const parsed = answer.safeParse(parseJson(text));
    if (!parsed.success) {
      throw new ServerRefused(
        `${route} answered something else than ${product}'s API does: is ${setting} the server's?`,
      );
    }
    return parsed.data;
  }
}

/**
 * Reports what a server refused. @returns the exit status
 *
 * @param untrusted what to look at where its certificate is not trusted.
 * @throws whatever else it was.
 */
export function reportRefusal(error: unknown, io: CommandIo, untrusted: string): number {
  if (error instanceof ServerRefused) {
    io.err(`${error.message}\n`);
    return EXIT.refused;
  }
  if (error instanceof NoAnswer) {
    const lookAt = error.message.includes("is not trusted") ? untrusted : error.lookAt;
    io.err(`${error.message}\nlook at: ${lookAt}\n`);
    return EXIT.refused;
  }
  throw error;
}
