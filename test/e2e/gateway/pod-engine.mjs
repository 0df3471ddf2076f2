// An engine with OpenAI's API in the place of a node's own, told and asked by the test on paths of its own:
// `node --input-type=module -e <this file> PORT HEALTH_PATH`.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const [port, healthPath] = process.argv.slice(1);
const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
const head = { id: "1", created: 1, model: "m" };

let healthStatus = 200;
const seen = [];

createServer(async (request, response) => {
  const body = await text(request);
  const json = (value, status = 200) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  switch (`${request.method} ${request.url}`) {
    case `GET ${healthPath}`:
      return json({}, healthStatus);
    case "PUT /test/health":
      healthStatus = Number(body);
      return json({});
    case "GET /test/seen":
      return json(seen);
    case "POST /v1/chat/completions": {
      seen.push({ at: Date.now(), headers: request.headers, body });
      if (!JSON.parse(body).stream) {
        const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
        return json({ ...head, object: "chat.completion", choices, usage });
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (choices, more) =>
        `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`;
      response.write(chunk([{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }], {}));
      return response.end(`${chunk([], { usage })}data: [DONE]\n\n`);
    }
    default:
      return json({ error: { message: `nothing at ${request.url}` } }, 404);
  }
}).listen(Number(port), "0.0.0.0");
