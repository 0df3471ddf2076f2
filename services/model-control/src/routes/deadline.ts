import type { Server } from "./surroundings";

declare module "fastify" {
  interface FastifyRequest {
    /** Aborts when the deadline passes, or the client disconnects. */
    deadline: AbortSignal;
  }
}

/**
 * Gives every request a deadline. The framework's signal aborts once the body is read, long before
 * the answer.
 */
export function giveDeadlines(server: Server, milliseconds: number): void {
  server.decorateRequest("deadline");
  server.addHook("onRequest", async (request, reply) => {
    const controller = new AbortController();
    const late = () => controller.abort(new DOMException("the answer took too long", "TimeoutError"));
    const timer = setTimeout(late, milliseconds);
    reply.raw.once("close", () => {
      clearTimeout(timer);
      controller.abort(new DOMException("the caller is gone", "AbortError"));
    });
    request.deadline = controller.signal;
  });
}
