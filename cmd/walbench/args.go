package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange puts a command line into the one order that urfave/cli reads as it
// was meant: the commands, each flag as --name=value, "--", the arguments.
//
// Left alone, v2 stops reading flags at the first argument and takes those
// after it for arguments, runs the root's action for a command it does not
// know, gives the root's flags to no command, and answers a wrong flag with
// the whole help on standard output. So everything that can be wrong about
// words and flags is found here; what is left to urfave/cli are the values.
//
// A flag may stand before or after commands and arguments. It has one value,
// which is not empty and does not begin with "--", and stands once, but for
// --no-warn, which adds up. "--" ends the flags.
func arrange(app *cli.App, args []string) ([]string, error) {
	r := reading{app: app, path: []string{app.Name}, commands: app.Commands, own: app.Flags}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			r.arguments = append(r.arguments, args...)
			args = nil
		case isFlag(arg):
			args, err = r.flag(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), args)
		default:
			r.word(arg)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	line := append(r.path[1:], r.flags...)
	return append(append(line, "--"), r.arguments...), nil
}

// isFlag leaves "-" and negative numbers to the arguments.
func isFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] < '0' || arg[1] > '9')
}

// reading is a command line, read up to somewhere.
type reading struct {
	app       *cli.App
	path      []string       // of the command, from the program's name
	command   *cli.Command   // nil: the root
	commands  []*cli.Command // that may follow path
	own       []cli.Flag     // of the command
	flags     []string       // --name or --name=value
	seen      []string       // their names
	arguments []string
	help      bool
	topic     bool // help was asked for by the word, which a command may follow
}

func (r *reading) word(word string) {
	if r.command == nil && word == "help" && !r.help {
		r.help, r.topic = true, true
		return
	}
	at := slices.IndexFunc(r.commands, func(c *cli.Command) bool { return c.Name == word })
	if at < 0 || len(r.arguments) > 0 {
		r.arguments = append(r.arguments, word)
		return
	}
	r.enter(r.commands[at])
}

func (r *reading) enter(c *cli.Command) {
	r.command = c
	r.path = append(r.path, c.Name)
	r.commands, r.own = c.Subcommands, c.Flags
}

// name is that of the command, for an error.
func (r *reading) name() string {
	if r.command == nil {
		return "the main job"
	}
	return strings.Join(r.path[1:], " ")
}

// flag reads one flag, of whatever command: which one it is may stand
// further on. It returns the arguments that are left.
func (r *reading) flag(text string, rest []string) ([]string, error) {
	name, value, attached := strings.Cut(text, "=")
	if name == "help" || name == "h" {
		r.help = true
		return rest, nil
	}
	known := r.known(name, rest)
	if known == nil {
		return nil, r.unknownFlag(name, rest)
	}
	if slices.Contains(r.seen, name) && name != "no-warn" {
		return nil, usagef("--%s is given twice", name)
	}
	r.seen = append(r.seen, name)
	if _, isBool := known.(*cli.BoolFlag); isBool {
		if attached {
			return nil, usagef("--%s takes no value", name)
		}
		r.flags = append(r.flags, "--"+name)
		return rest, nil
	}
	if !attached && len(rest) > 0 && !strings.HasPrefix(rest[0], "--") {
		value, rest = rest[0], rest[1:]
	}
	if value == "" {
		return nil, usagef("--%s needs a value", name)
	}
	r.flags = append(r.flags, "--"+name+"="+value)
	return rest, nil
}

// known returns the flag of that name: that of the command, which the rest may
// name, or else of any.
func (r *reading) known(name string, rest []string) cli.Flag {
	own, commands := r.own, r.commands
	for _, word := range rest {
		at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == word })
		if at >= 0 {
			own, commands = commands[at].Flags, commands[at].Subcommands
		}
	}
	if f := find(own, nil, name); f != nil {
		return f
	}
	return find(r.app.Flags, r.app.Commands, name)
}

// unknownFlag suggests one of the command, which the rest may name.
func (r *reading) unknownFlag(name string, rest []string) error {
	for _, word := range rest {
		at := slices.IndexFunc(r.commands, func(c *cli.Command) bool { return c.Name == word })
		if at >= 0 {
			r.enter(r.commands[at])
		}
	}
	if near := closest(name, names(r.own)); near != "" {
		return usagef("unknown flag --%s, did you mean --%s?", name, near)
	}
	return usagef("unknown flag --%s (see %s --help)", name, strings.Join(r.path, " "))
}

// check holds flags and arguments against the command, now that it is known.
func (r *reading) check() error {
	own := names(r.own)
	for _, name := range r.seen {
		if !slices.Contains(own, name) {
			return usagef("%s has no flag --%s: it belongs to %s", r.name(), name, strings.Join(owners(r.app, name), ", "))
		}
	}
	if r.topic && len(r.arguments) > 0 {
		return r.unknownCommand()
	}
	if r.help {
		r.flags, r.arguments = []string{"--help"}, nil
		return nil
	}
	if slices.Contains(r.seen, "version") {
		r.arguments = nil
		return nil
	}
	if len(r.commands) > 0 && (len(r.arguments) > 0 || r.command != nil) {
		return r.unknownCommand()
	}
	return r.checkArguments()
}

func (r *reading) unknownCommand() error {
	var words []string
	for _, c := range r.commands {
		words = append(words, c.Name)
	}
	if len(r.arguments) == 0 {
		return usagef("%s: which one? %s", r.name(), strings.Join(words, ", "))
	}
	near := closest(r.arguments[0], words)
	switch {
	case len(words) == 0:
		return usagef("%s has no command %q", r.name(), r.arguments[0])
	case near != "":
		return usagef("unknown command %q, did you mean %s?", r.arguments[0], near)
	default:
		return usagef("unknown command %q: choose from %s", r.arguments[0], strings.Join(words, ", "))
	}
}

// checkArguments counts them. ArgsUsage of a command names each in a word.
func (r *reading) checkArguments() error {
	var want []string
	if r.command != nil {
		want = strings.Fields(r.command.ArgsUsage)
	}
	if len(r.arguments) < len(want) {
		return usagef("%s needs %s: %s is missing", r.name(), strings.Join(want, " and "), want[len(r.arguments)])
	}
	if len(r.arguments) > len(want) {
		return usagef("%s: stray argument %q", r.name(), r.arguments[len(want)])
	}
	return nil
}

// find looks for a flag of that name in all commands.
func find(flags []cli.Flag, commands []*cli.Command, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	for _, c := range commands {
		if f := find(c.Flags, c.Subcommands, name); f != nil {
			return f
		}
	}
	return nil
}

// owners returns the commands that have a flag of that name.
func owners(app *cli.App, name string) []string {
	var all []string
	var walk func(path string, commands []*cli.Command)
	walk = func(path string, commands []*cli.Command) {
		for _, c := range commands {
			if slices.Contains(names(c.Flags), name) {
				all = append(all, path+c.Name)
			}
			walk(path+c.Name+" ", c.Subcommands)
		}
	}
	if slices.Contains(names(app.Flags), name) {
		all = append(all, "the main job")
	}
	walk("", app.Commands)
	return all
}
