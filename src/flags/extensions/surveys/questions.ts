/** Schema and checks of a survey's questions, which SDKs get unchanged. */
import { randomUUID } from 'node:crypto';
import { InvalidInput } from '../../../platform/errors.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { htmlFault } from './html.ts';

const MAX_QUESTIONS = 100;
const MAX_CHOICES = 200;
const SCALES = [2, 3, 5, 7, 10];
const LINK_SCHEMES = ['https:', 'http:', 'mailto:'];
const MAILTO = /^mailto:[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}$/i;
/** Buckets of ratings that may lead to another question; SDKs define them. */
const BUCKETS = ['negative', 'neutral', 'positive', 'detractors', 'passives', 'promoters'];

export const ContentType = stringEnum(['text', 'html'] as const);
const Label = nullable(Type.String({ maxLength: 200 }));
const Choices = Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MAX_CHOICES });
const texts = {
  question: Type.String({ minLength: 1, maxLength: 5000 }),
  description: nullable(Type.String({ maxLength: 10_000, description: 'The description, as text or limited HTML.' })),
  buttonText: Label,
  link: nullable(Type.String({ maxLength: 2000, description: 'An http, https or mailto URL.' })),
  choices: Choices,
  lowerBoundLabel: Label,
  upperBoundLabel: Label,
};

const Branching = Type.Object({
  type: stringEnum(['next_question', 'end', 'response_based', 'specific_question'] as const),
  index: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The index of the next question for `specific_question`.' }),
  ),
  responseValues: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The index of the next question, or `end`, by choice index or rating bucket.',
    }),
  ),
});

const { question, ...optionalTexts } = texts;
export const QuestionBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The ID of the question, used in its responses; generated if omitted.',
      }),
    ),
    type: stringEnum(['open', 'link', 'rating', 'single_choice', 'multiple_choice'] as const),
    question,
    ...Type.Partial(Type.Object(optionalTexts)).properties,
    descriptionContentType: Type.Optional(ContentType),
    optional: Type.Optional(Type.Boolean()),
    display: Type.Optional(stringEnum(['number', 'emoji'] as const)),
    scale: Type.Optional(
      Type.Integer({ description: `The number of points on the rating scale: one of ${SCALES.join(', ')}.` }),
    ),
    isNpsQuestion: Type.Optional(Type.Boolean()),
    skipSubmitButton: Type.Optional(Type.Boolean()),
    hasOpenChoice: Type.Optional(Type.Boolean()),
    shuffleOptions: Type.Optional(Type.Boolean()),
    branching: Type.Optional(nullable(Branching)),
    translations: Type.Optional(
      Type.Record(Type.String(), Type.Partial(Type.Object(texts)), { description: 'Translated texts by language.' }),
    ),
  },
  {
    title: 'SurveyQuestion',
    description: 'A survey question. Unknown fields are stored and delivered to pages unchanged.',
  },
);
export type Question = Static<typeof QuestionBody>;

export const QuestionsBody = Type.Array(QuestionBody, { maxItems: MAX_QUESTIONS });

/**
 * @returns the questions, each with an id
 * @throws InvalidInput naming the field of the first invalid question
 */
export function checkQuestions(questions: readonly Question[]): Question[] {
  const ids = new Set<string>();
  return questions.map((input, index) => {
    const refuse = createRefuse(`questions__${index}`);
    checkTexts(input, refuse);
    for (const [language, translated] of Object.entries(input.translations ?? {})) {
      checkTexts(translated, (field, detail) => refuse(`translations__${language}__${field}`, detail));
    }
    checkAnswers(input, refuse);
    checkBranching(input, questions.length, refuse);
    const id = input.id ?? randomUUID();
    if (ids.has(id)) refuse('id', 'Another question has this id.');
    ids.add(id);
    return { ...input, id };
  });
}

type Refuse = (field: string, detail: string) => never;

function createRefuse(path: string): Refuse {
  return (field, detail) => {
    throw new InvalidInput(detail, `${path}__${field}`);
  };
}

type Texts = Partial<Pick<Question, keyof typeof texts>>;

function checkTexts({ question: text, description, link, choices }: Texts, refuse: Refuse): void {
  for (const [field, html] of Object.entries({ question: text, description })) {
    const fault = htmlFault(html ?? '');
    if (fault !== undefined) refuse(field, fault);
  }
  if (text?.trim() === '') refuse('question', 'Question text is required.');
  if (choices?.some((choice) => choice.trim() === '')) refuse('choices', 'Question choices cannot be empty.');
  if (link) checkLink(link, refuse);
}

function checkLink(link: string, refuse: Refuse): void {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (!url || !LINK_SCHEMES.includes(url.protocol) || /[\s<>"]/.test(link)) {
    return refuse('link', 'Link must be a URL with one of these schemes: [https, http, mailto].');
  }
  if (url.protocol !== 'mailto:' || MAILTO.test(link)) return;
  refuse('link', 'Invalid mailto link. Please enter a valid mailto link (e.g., mailto:example@domain.com).');
}

const hasChoices = ({ type }: Question) => type === 'single_choice' || type === 'multiple_choice';

function checkAnswers(input: Question, refuse: Refuse): void {
  if (hasChoices(input) && !input.choices?.length) refuse('choices', 'A question with choices needs at least one.');
  if (input.type === 'rating' && (input.scale === undefined || !SCALES.includes(input.scale))) {
    refuse('scale', `A rating needs one of these scales: ${SCALES.join(', ')}.`);
  }
}

function checkBranching({ type, choices, branching }: Question, count: number, refuse: Refuse): void {
  if (!branching) return;
  const isTarget = (index: unknown) => Number.isInteger(index) && Number(index) >= 0 && Number(index) < count;
  if (branching.type === 'specific_question' && !isTarget(branching.index)) {
    refuse('branching__index', 'This must be the index of a question of this survey.');
  }
  if (branching.type !== 'response_based') return;
  if (type !== 'rating' && type !== 'single_choice') {
    refuse('branching__type', 'Only the answers of ratings and single choices can lead to different questions.');
  }
  const answers = type === 'rating' ? BUCKETS : (choices ?? []).map((_, index) => String(index));
  for (const [answer, target] of Object.entries(branching.responseValues ?? {})) {
    const path = `branching__responseValues__${answer}`;
    if (!answers.includes(answer)) refuse(path, 'No answer of this question has this name.');
    if (target !== 'end' && !isTarget(target)) refuse(path, 'This must be the index of a question, or "end".');
  }
}
