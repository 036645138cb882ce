/** Texts of text tiles, changed inside a transaction of the stores. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { ChangeContext } from '../change-context.ts';
import { mayChangeEverywhere } from './permissions.ts';
import type { GivenText } from './schema.ts';
import type { Text } from './texts.store.ts';

const MAX_BODY = 4000;

/** Counts characters like Postgres and Python: a character above U+FFFF counts as one. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** @throws InvalidInput when it is too long */
export function checkBody(body: string, attr: string): void {
  if (lengthOf(body) > MAX_BODY) throw new InvalidInput(`Text body cannot exceed ${MAX_BODY} characters`, attr);
}

/**
 * Stores a text. If `created_by` names another author, the caller is only the last editor.
 * @throws InvalidInput naming the field
 */
export async function writeText(context: ChangeContext, { body = '', created_by }: GivenText): Promise<Text> {
  const { stores, project, caller } = context;
  checkBody(body ?? '', 'text__body');
  const author = created_by?.id ?? undefined;
  await checkAuthor(context, author);
  return stores.texts.insert({
    project_id: project.id,
    body,
    created_by: author ?? caller.userId,
    last_modified_by: author === undefined ? null : caller.userId,
  });
}

/**
 * The author of a text stays its author.
 * @returns the ID of the tile's text: a new text if the old one is also on a dashboard that the caller may not change
 * @throws InvalidInput naming the field
 */
export async function rewriteText(
  context: ChangeContext,
  id: number,
  { body, created_by }: GivenText,
): Promise<number> {
  const { stores, project, caller } = context;
  checkBody(body ?? '', 'text__body');
  const text = (await stores.texts.findByIds(project.id, [id])).get(id);
  if (!text) throw new InvalidInput('Text tile not found in this team.', 'text');
  // Clients send whole tiles back, even those whose author has left: an unchanged author is not checked.
  if (created_by?.id && created_by.id !== text.created_by) await checkAuthor(context, created_by.id);
  if (body === undefined || body === text.body) return id;
  const locations = (await stores.tiles.findTextLocations([id])).get(id) ?? [];
  if (!(await mayChangeEverywhere(context, locations))) return (await writeText(context, { body })).id;
  await stores.texts.update(project.id, id, { body, last_modified_by: caller.userId });
  return id;
}

async function checkAuthor({ stores, project }: ChangeContext, userId: number | undefined): Promise<void> {
  if (userId === undefined || (await stores.accessControls.findMember(project.id, userId))) return;
  throw new InvalidInput('User not found in this organization.', 'text');
}
