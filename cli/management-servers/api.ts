/** API of a management server: Rancher, Portainer. */
import type { z } from "zod";
import { parseJson } from "../../names/json-text";
import { type CommandIo, EXIT } from "../io";
import { type HttpClient, NoAnswer } from "../smoke/http";

/** Refused, or an unknown answer. The message names the route or setting. */
export class ServerRefused extends Error {}

export interface ServerApiOptions {
  readonly product: string;
  /** Setting with its URL. */
  readonly setting: string;
  /** Rights of its token. */
  readonly token: string;
}

export class ServerApi {
  constructor(
    private readonly client: HttpClient,
    readonly signal: AbortSignal,
    private readonly options: ServerApiOptions,
  ) {}

  /**
   * @param body JSON, or a form for FormData.
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
 * Reports a refusal. @returns the exit status
 *
 * @param untrusted advice for an untrusted certificate.
 * @throws other errors.
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
