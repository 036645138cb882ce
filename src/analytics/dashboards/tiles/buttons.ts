/** Buttons on tiles, inside a transaction of the stores. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { ChangeContext } from '../change-context.ts';
import type { Button, ButtonFields } from './buttons.store.ts';
import { mayChangeEverywhere } from './permissions.ts';
import type { GivenButton } from './schema.ts';
import { lengthOf } from './texts.ts';

const MAX_URL = 2000;
const MAX_TEXT = 200;
/** Characters of a path, a query and a fragment by RFC 3986; two slashes in front would name a host. */
const PATHNAME = /^\/(?!\/)[\w.~:/?#[\]@!$&'()*+,;=%-]*$/;

/** @throws InvalidInput naming the field */
export async function makeButton({ stores, project }: ChangeContext, input: GivenButton): Promise<Button> {
  const { url, text, placement = 'left', style = 'primary' } = input;
  if (url === undefined) throw new InvalidInput('This field is required.', 'button_tile__url', 'required');
  if (text === undefined) throw new InvalidInput('This field is required.', 'button_tile__text', 'required');
  return stores.buttons.insert(project.id, checkButton({ url, text, placement, style }));
}

/**
 * @returns the ID of the tile's button: a new button if the old one is also on a dashboard that the caller may not change
 * @throws InvalidInput naming the field
 */
export async function changeButton(context: ChangeContext, id: string, input: GivenButton): Promise<string> {
  const { stores, project } = context;
  const button = (await stores.buttons.findByIds(project.id, [id])).get(id);
  if (!button) throw new InvalidInput('Button tile not found.', 'button_tile');
  const { url = button.url, text = button.text, placement = button.placement, style = button.style } = input;
  const fields = checkButton({ url, text, placement, style });
  if (Object.entries(fields).every(([name, value]) => button[name as keyof ButtonFields] === value)) return id;
  const locations = (await stores.tiles.findButtonLocations([id])).get(id) ?? [];
  if (!(await mayChangeEverywhere(context, locations))) return (await stores.buttons.insert(project.id, fields)).id;
  await stores.buttons.update(project.id, id, fields);
  return id;
}

function checkButton(fields: ButtonFields): ButtonFields {
  checkUrl(fields.url);
  if (lengthOf(fields.text) > MAX_TEXT) throw refusal(`Button text cannot exceed ${MAX_TEXT} characters`, 'text');
  return fields;
}

function checkUrl(url: string): void {
  if (lengthOf(url) > MAX_URL) throw refusal(`Button URL cannot exceed ${MAX_URL} characters`, 'url');
  if (url.startsWith('/')) {
    if (PATHNAME.test(url)) return;
    throw refusal('Pathname must start with / and contain valid URL path characters', 'url');
  }
  if (!isWebAddress(url)) throw refusal('Must be a valid URL or a pathname starting with /', 'url');
}

function refusal(detail: string, field: string): InvalidInput {
  return new InvalidInput(detail, `button_tile__${field}`);
}

/** Refuses `javascript:`, and any text that a browser would read differently. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/?#\\][^\s\\]*$/i.test(text) && URL.canParse(text);
}
