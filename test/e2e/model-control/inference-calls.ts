/** How a client asks for answers, and waits for them. */
import { expect } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type Api, OPERATE } from "./start-api";

export interface Item {
  readonly state: string;
  readonly text?: string;
  readonly finish_reason?: string;
  readonly completion_tokens?: number;
  readonly attempts: number;
  readonly waited_seconds?: number;
  readonly seconds?: number;
  readonly error?: { readonly code: string; readonly detail: string };
}

export interface Inference {
  readonly task_id: string;
  readonly state: string;
  readonly step?: string;
  readonly error?: string;
  readonly progress: number;
  readonly items: readonly Item[];
}

/** @returns the task's id. */
export async function infer(api: Api, body: object, token = OPERATE, headers = {}): Promise<string> {
  const answer = await api.ask("POST", "/inference", body, token, headers);
  expect([answer.status, answer.body.detail]).toEqual([202, undefined]);
  expect(answer.headers.get("location")).toBe(`/inference/${answer.body.task_id}`);
  return answer.body.task_id;
}

export async function look(api: Api, id: string, token = OPERATE): Promise<Inference> {
  return (await api.ask<Inference>("GET", `/inference/${id}`, undefined, token)).body;
}

/** Waits for the task's end, whatever it is. */
export async function ended(api: Api, id: string, token = OPERATE, seconds = 60): Promise<Inference> {
  return waitFor(
    `${id} to end`,
    async () => {
      const found = await look(api, id, token);
      return found.state === "completed" || found.state === "failed" ? found : undefined;
    },
    seconds,
  );
}
