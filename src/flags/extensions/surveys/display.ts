/** Schemas and checks of `conditions` and `appearance`, which SDKs interpret. Unknown fields are stored unchanged. */
import { InvalidInput } from '../../../platform/errors.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { htmlFault } from './html.ts';
import { ContentType } from './questions.ts';

const MAX_VALUES = 200;
/** Ways in which SDKs compare URLs and devices. */
const MATCH_TYPES = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex', 'contains'] as const;

const Events = Type.Object({
  repeatedActivation: Type.Optional(nullable(Type.Boolean())),
  values: Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: 400 }) }), { maxItems: MAX_VALUES }),
});
const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema));

export const ConditionsBody = Type.Object(
  {
    url: optional(Type.String({ maxLength: 2000 })),
    urlMatchType: optional(stringEnum(MATCH_TYPES)),
    selector: optional(
      Type.String({ maxLength: 2000, description: 'A CSS selector that an element of the page must match.' }),
    ),
    seenSurveyWaitPeriodInDays: optional(
      Type.Number({
        minimum: 0,
        maximum: 36_500,
        description: 'The minimum number of days since the person last saw any survey.',
      }),
    ),
    events: optional(Events),
    cancelEvents: optional(Events),
    actions: optional(
      Type.Object({ values: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: MAX_VALUES }) }),
    ),
    deviceTypes: optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: MAX_VALUES })),
    deviceTypesMatchType: optional(stringEnum(MATCH_TYPES)),
    linkedFlagVariant: optional(
      Type.String({ description: 'The required variant of the linked flag; `any` for any variant.' }),
    ),
  },
  { title: 'SurveyConditions' },
);
export type Conditions = Static<typeof ConditionsBody>;

const Text = optional(Type.String({ maxLength: 10_000 }));
const Style = optional(Type.String({ maxLength: 500 }));
const Flag = optional(Type.Boolean());

export const AppearanceBody = Type.Object(
  {
    backgroundColor: Style,
    borderColor: Style,
    borderRadius: Style,
    boxPadding: Style,
    boxShadow: Style,
    disabledButtonOpacity: Style,
    fontFamily: Style,
    inputBackground: Style,
    inputTextColor: Style,
    maxWidth: Style,
    placeholder: Style,
    position: Style,
    ratingButtonActiveColor: Style,
    ratingButtonColor: Style,
    submitButtonColor: Style,
    submitButtonText: Style,
    submitButtonTextColor: Style,
    tabPosition: Style,
    textColor: Style,
    textSubtleColor: Style,
    widgetColor: Style,
    widgetLabel: Style,
    widgetSelector: Style,
    widgetType: optional(stringEnum(['button', 'tab', 'selector'] as const)),
    zIndex: Style,
    autoDisappear: Flag,
    displayThankYouMessage: Flag,
    hideCancelButton: Flag,
    shuffleQuestions: Flag,
    whiteLabel: Flag,
    surveyPopupDelaySeconds: optional(Type.Number({ minimum: 0, maximum: 86_400 })),
    thankYouMessageHeader: Text,
    thankYouMessageDescription: Text,
    thankYouMessageDescriptionContentType: optional(ContentType),
    thankYouMessageCloseButtonText: Style,
  },
  { title: 'SurveyAppearance' },
);
export type Appearance = Static<typeof AppearanceBody>;

/** @throws InvalidInput for a regular expression that browsers would reject */
export function checkConditions({ url, urlMatchType }: Conditions): void {
  if (!url || !urlMatchType?.endsWith('regex') || isPattern(url)) return;
  throw new InvalidInput('This is not a regular expression.', 'conditions__url');
}

function isPattern(text: string): boolean {
  try {
    return RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** @throws InvalidInput for HTML that may be harmful */
export function checkAppearance(appearance: Appearance): void {
  for (const field of ['thankYouMessageHeader', 'thankYouMessageDescription'] as const) {
    const fault = htmlFault(appearance[field] ?? '');
    if (fault !== undefined) throw new InvalidInput(fault, `appearance__${field}`);
  }
}
