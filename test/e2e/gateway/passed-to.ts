import { type RequestListener, request } from "node:http";

/** A model's Service: requests go to an engine on loopback as they are. */
export function passedTo(port: number): RequestListener {
  return (asked, response) => {
    const { method, url: path, headers } = asked;
    const engine = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    engine.once("error", () => response.destroy());
    asked.pipe(engine);
  };
}
