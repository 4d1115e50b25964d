"""Writes a script's acts outside of choices, and what others learn of private bins by acts and by choices."""

from cardenvs.recycle.compiler.actions import Actions
from cardenvs.recycle.compiler.conditions import is_public
from cardenvs.recycle.compiler.layout import Layout, Writing
from cardenvs.recycle.compiler.privacy import Privacy, public_conditions, values_of
from cardenvs.recycle.compiler.writer import SiteWriter, Writer
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind


class ScriptWriter(Writer):
    """Writes acts outside of choices, and what all seats learn of private bins by them."""

    stop = "halt"

    def __init__(self, layout: Layout, privacy: Privacy) -> None:
        super().__init__(layout)
        self.head = "run(games, i, H)"
        self.privacy = privacy
        self.public: set[int] = set()  # ``id``s of acts that all seats know to be done
        self.unsure: set[int] = set()
        """The ``id``s of the outermost other acts: not all seats know that they are done, or to what bins."""
        self.free: dict[int, frozenset[int]] = {}  # by ``id`` of an act in ``public``, its public variables

    def write_statement(self, act: syntax.Act) -> None:
        if self.privacy.secrets:
            self._find_public(act, frozenset())
        self.write_act(act)

    def is_told(self, act: syntax.Act) -> bool:
        """Whether all seats can work out a statement's effects on numbers."""
        self._find_public(act, frozenset())
        writes = [node for node in syntax.walk(act) if isinstance(node, syntax.SetNumber | syntax.Change)]
        return all(
            id(node) in self.public
            and is_public(self.layout, node.amount if isinstance(node, syntax.Change) else node.value, self.free[id(node)])
            for node in writes
        )

    def _find_public(self, act: syntax.Act, free: frozenset[int]) -> None:
        match act:
            case syntax.Guarded(_, condition, inner) if is_public(self.layout, condition, free):
                self._find_public(inner, free)
            case syntax.Do(_, acts):
                for inner in acts:
                    self._find_public(inner, free)
            case syntax.Let(_, value, variable, inner):
                self._find_public(inner, free | {variable.number} if is_public(self.layout, value, free) else free)
            case syntax.ForEach(_, _, over, variable, inner) if is_public(self.layout, over, free):
                self._find_public(inner, free | {variable.number})
            case syntax.Repeat(_, times, prim) if is_public(self.layout, times, free):
                self._find_public(prim, free)
                if id(prim) not in self.public:
                    self.unsure.add(id(act))
            case syntax.SetNumber() | syntax.SetString() | syntax.Change() if is_public(
                self.layout, (act.bin.owner, act.bin.name), free
            ):
                self.public.add(id(act))
                self.free[id(act)] = free
            case _:
                self.unsure.add(id(act))

    def write_act(self, act: syntax.Act) -> None:
        for write in syntax.walk(act) if id(act) in self.unsure and self.privacy.secrets else ():
            if isinstance(write, Writing):
                values = values_of(self.layout, write)
                for k in self.privacy.written_secrets(write):
                    self.emit(f"g.maybe[{k}] |= {self.privacy.secrets[k].value_mask(values)}")
        super().write_act(act)

    def write_prim(self, act: syntax.Prim) -> None:
        super().write_prim(act)
        if isinstance(act, Writing) and id(act) in self.public:
            if self.privacy.written_secrets(act):
                self._write_knowledge(act)
            elif isinstance(act, syntax.SetNumber | syntax.SetString):
                self._write_reveal(act.value)

    def _write_knowledge(self, act: Writing) -> None:
        name = self.private_index(act.bin)
        value = act.amount if isinstance(act, syntax.Change) else act.value
        known = is_public(self.layout, value, self.free[id(act)])
        with self.block(f"if {name} >= 0:"):
            if isinstance(act, syntax.Change) and known:  # what is added to what is known is known
                self.emit(f"known = is_single(g.maybe[{name}])")
                self.emit(f"g.maybe[{name}] = {self._exact_value(name)} if known else PRIVATE_ALL[{name}]")
            else:
                self.emit(f"g.maybe[{name}] = {self._exact_value(name) if known else f'PRIVATE_ALL[{name}]'}")

    def _write_reveal(self, value: syntax.Expression) -> None:
        """Writes that a private bin is known whose value was copied to a public one."""
        if isinstance(value, syntax.NumberBin | syntax.StringBin):
            name = self.private_index(value)
            with self.block(f"if {name} >= 0:"):
                self.emit(f"g.maybe[{name}] = {self._exact_value(name)}")

    def private_index(self, bin_: syntax.NumberBin | syntax.StringBin) -> str:
        table = "PRIVATE_NUMBERS" if bin_.kind is Kind.NUMBER else "PRIVATE_TEXTS"
        return self.assign(f"{table}[{self.write_bin(bin_)}]", "p")

    @staticmethod
    def _exact_value(name: str) -> str:
        return f"value_bit(games, i, {name}, PRIVATE_SLOTS, PRIVATE_IS_TEXT, PRIVATE_POOL, POOL)"


class LearningWriter(SiteWriter):
    """Writes the function that tells which alternatives an action can have been for all seats, as bits."""

    def __init__(self, layout: Layout, actions: Actions, privacy: Privacy, choice: int, depths: tuple[int, int]) -> None:
        super().__init__(layout, actions, choice, depths)
        self.privacy = privacy

    def write_lines(self) -> list[str] | None:
        """Returns the lines of ``may(games, i, H, action)`` at the choice; None if it sets no private bin."""
        if not self.privacy.choice_effects(self.layout.statics.choices[self.choice]):
            return None
        self.emit_head()
        self.emit("open = np.int64(0)")
        for one in self.of_choice:
            offers = self.offers_table(one)
            holds = self.assign(f"VISIBLE[{self.choice}, action] == 0 or {offers}[action] != 0", "t")
            for condition in public_conditions(self.layout, one.act):
                with self.block(f"if {holds}:"):
                    self.emit(f"{holds} = {self.write_condition(condition)}")
            with self.block(f"if {holds}:"):
                self.emit(f"open |= {1 << one.number}")
        self.emit("return open")
        return self.lines
