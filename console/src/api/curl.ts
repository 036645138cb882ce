/** A request as a command to paste: the key is a variable, so that no secret gets into a clipboard or a shell history. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** @param path from the root, with its query */
export function asCurl(method: string, path: string, body?: unknown): string {
  const parts = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quoted(new URL(path, location.origin).href)}`,
    `-H "Authorization: Bearer $SLUICE_KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}
